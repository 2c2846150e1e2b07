#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every way in which the command line says no: with which exit code, in which words, and without leaving files."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from command_line import (ADDER, CIRCUIT, COMMAND, DEVICE, FORMAT, INTERRUPTED, IO, KEY_MISMATCH, NOISE, PARAMETERS,
                          TERMINATED, USAGE, VALUE, CommandLineTest)

RUN = ("run", "adder.blif", "--key", "keys/evaluation.key", "--inputs", "in.ct", "-o", "out.ct")
ENCRYPT = ("encrypt", "--key", "keys/secret.key", "--interface", "adder.json", "-o", "new.ct")


def replaced(arguments, old, new):
    return [new if argument == old else argument for argument in arguments]


class WrongInput(CommandLineTest):
    def test_wrong_use(self):
        self.refused(USAGE)
        self.refused(USAGE, "fly")
        self.refused(USAGE, "run", says="circuit")
        self.refused(USAGE, *RUN, "--no-such-option")
        self.refused(USAGE, *RUN, "--cycles", "0")
        self.refused(USAGE, *RUN, "--cycles", "-1")
        self.refused(USAGE, *RUN, "--threads", "-1")
        self.refused(USAGE, *RUN, "--report", "xml")
        self.refused(USAGE, *RUN, "--transform", "dft", says="--transform")
        self.refused(PARAMETERS, *RUN, "--device", "reference", "--transform", "ntt", says="without a transform")
        self.refused(USAGE, *RUN, "--target-failure", "1e-9", says="--target-failure")
        self.refused(USAGE, *RUN, "--target-failure", "2^3")
        self.refused(USAGE, "keygen", says="--out")
        self.refused(USAGE, "keygen", "--secret", "s", says="--evaluation")
        self.refused(USAGE, "encrypt", "--interface", "adder.json", "a=1", "b=1", "-o", "new.ct", says="--key")
        self.refused(USAGE, *ENCRYPT, "--public-key", "keys/public.key", "a=1", "b=1")
        self.refused(USAGE, "compile", "adder.blif", says="--interface")
        self.refused(USAGE, "compile", "adder.blif", "-o", "adder.vhdl", says=".toroid")
        self.refused(USAGE, "compile", "adder.blif", "counter.blif", "-o", "x.blif", says="Verilog")
        self.refused(USAGE, "compile", "adder.blif", "--top", "adder", "-o", "x.blif", says="top")
        self.refused(USAGE, "compile", "adder.blif", "-DN=3", "-o", "x.blif", says="C, C++ and Verilog only")
        self.refused(USAGE, "compile", "adder.blif", "-I", "keys", "-o", "x.blif", says="C, C++ and Verilog only")
        self.refused(USAGE, "completion", "tcsh")

    def test_folders_and_macros(self):
        programs = {"f.c": "int f(int a) { return a; }\n",
                    "f.v": "module f(input a, output y); assign y = a; endmodule\n"}
        for name, tool in (("f.c", "clang-19"), ("f.v", "yosys")):
            if shutil.which(tool):
                self.write(name, programs[name])
                self.refused(IO, "compile", name, "-I", "nowhere", "-o", "x.blif", says="include folder 'nowhere'")
                self.refused(IO, "compile", name, "-I", name, "-o", "x.blif", says=f"include folder '{name}'")
                for macro in ("3=4", "=4", "a-b", "f(x)=x"):
                    self.refused(USAGE, "compile", name, "-D", macro, "-o", "x.blif", says="no name of a macro")

    def test_values(self):
        self.refused(VALUE, *ENCRYPT, "a=4", "b=1", says="a")
        self.refused(VALUE, *ENCRYPT, "a=-1", "b=1", says="a")
        self.refused(VALUE, *ENCRYPT, "a=0x10", "b=1", says="a")
        self.refused(VALUE, *ENCRYPT, "a=one", "b=1", says="one")
        self.refused(VALUE, *ENCRYPT, "a=1", says="b")
        self.refused(VALUE, *ENCRYPT, "a=1", "b=1", "c=1", says="c")
        self.refused(VALUE, *ENCRYPT, "a=1", "a=1", "b=1", says="a")
        self.refused(VALUE, *ENCRYPT, "a=1", "b=1", "--values", self.write("v.json", '{"a": 1}'), says="'a'")
        self.refused(VALUE, *ENCRYPT, "--values", self.write("v.json", '{"a": 1}'), says="b")
        self.refused(VALUE, *ENCRYPT, "--partial")
        self.refused(FORMAT, *ENCRYPT, "--values", self.write("v.json", '{"a": 1,'), says="v.json")
        self.refused(VALUE, "simulate", "adder.blif", "a=1", says="b")
        strange = self.path("adder.json").read_text().replace('"name": "a"', '"name": "a\\u0007"')
        self.refused(CIRCUIT, *replaced(ENCRYPT, "adder.json", self.write("strange.json", strange)), "b=1", "--partial",
                     says="control")
        self.refused(VALUE, "simulate", "counter.blif", "step=1,0", "--cycles", "3", says="step")

    def test_inputs_of_a_run(self):
        self.refused(VALUE, *RUN, "--clear", "b=1", says="'b'")
        self.refused(VALUE, *RUN, "--clear", "z=1", says="z")
        self.refused(VALUE, *RUN[:4], "-o", "out.ct", says=("'a'", "'b'"))
        self.refused(VALUE, *replaced(RUN, "in.ct", "in.ct")[:6], "in.ct", "-o", "out.ct", says="'a'")
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "adder.json", "a=1,2", "b=1", "-o", "two.ct")
        self.refused(VALUE, *replaced(RUN, "in.ct", "two.ct"), says="'a'")
        # bound to another interface
        message = self.refused(KEY_MISMATCH, *replaced(RUN, "adder.blif", "counter.blif"), says="counter")
        self.assertEqual(len(re.findall(r"[0-9a-f]{64}", message)), 2)

    def test_outputs_of_a_run_as_inputs_that_do_not_fit(self):
        self.run_adder()
        self.write("narrow.blif", ".model n\n.inputs s[0] s[1]\n.outputs y\n.names s[0] s[1] y\n11 1\n.end\n")
        self.refused(VALUE, "run", "narrow.blif", "--key", "keys/evaluation.key", "--inputs", "out.ct", "-o", "y.ct",
                     says=("3-bit", "2-bit"))
        self.refused(VALUE, "run", "adder.blif", "--key", "keys/evaluation.key", "--inputs", "out.ct", "-o", "y.ct",
                     says="'s'")

    def test_another_key_and_another_set(self):
        self.toroid("keygen", "--params-file", "toy.json", "--allow-comparison", "--out", "other", "-q")
        message = self.refused(KEY_MISMATCH, *replaced(RUN, "keys/evaluation.key", "other/evaluation.key"))
        self.assertEqual(len(set(re.findall(r"\b[0-9a-f]{32}\b", message))), 2, message)
        self.run_adder()
        message = self.refused(KEY_MISMATCH, "decrypt", "--key", "other/secret.key", "out.ct")
        self.assertEqual(len(set(re.findall(r"\b[0-9a-f]{32}\b", message))), 2, message)
        toy = self.path("toy.json").read_text().replace('"n": 24', '"n": 25')
        self.write("toy25.json", toy)
        self.toroid("keygen", "--params-file", "toy25.json", "--allow-comparison", "--out", "set25", "-q")
        message = self.refused(KEY_MISMATCH, *replaced(RUN, "keys/evaluation.key", "set25/evaluation.key"))
        self.assertEqual(len(set(re.findall(r"\b[0-9a-f]{64}\b", message))), 2, message)

    def test_noise(self):
        self.write("wide.blif", ".model wide\n.inputs a b\n.outputs y\n.names a b y\n11 1\n.end\n")
        self.toroid("compile", "wide.blif", "--interface", "wide.json")
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "wide.json", "a=1", "b=1", "-o", "w.ct")
        self.refused(NOISE, "run", "wide.blif", "--key", "keys/evaluation.key", "--inputs", "w.ct", "-o", "out.ct",
                     "--target-failure", "2^-100000", says=("AND", "2^-100000", "toy"))
        self.toroid("run", "wide.blif", "--key", "keys/evaluation.key", "--inputs", "w.ct", "-o", "out.ct",
                    "--target-failure", "-40")

    def test_parameters(self):
        self.refused(PARAMETERS, "keygen", "--params", "no-such-set", "--out", "new", says="tfhe128")
        self.refused(PARAMETERS, "keygen", "--params-file", "toy.json", "--secret", "s", "--evaluation", "e",
                     says="comparison")
        self.refused(PARAMETERS, "params", "show", "nothing", says="nothing")
        bad = self.path("toy.json").read_text().replace('"N": 512', '"N": 500')
        self.refused(PARAMETERS, "params", "check", self.write("bad.json", bad), says="500")
        self.refused(FORMAT, "params", "check", self.write("bad.json", "{"), says="bad.json")

    def test_devices(self):
        self.refused(DEVICE, *RUN, "--device", "warp-drive", says="warp-drive")
        self.refused(DEVICE, *RUN, "--device", "hip")
        self.refused(USAGE, *RUN, "--device", "cpu:0;1", says="cpu:0;1")
        self.refused(DEVICE, *RUN, "--device", "cpu:0,1", says="present: cpu:0")
        self.refused(DEVICE, "bench", "gates", "--key", "keys/evaluation.key", "--device", "hip")

    def test_circuits(self):
        cases = {
            "loop.blif": (".model l\n.inputs a\n.outputs y\n.names a z y\n11 1\n.names y z\n1 1\n.end\n", "loop.blif"),
            "double.blif": (".model d\n.inputs a b\n.outputs y\n.names a y\n1 1\n.names b y\n1 1\n.end\n",
                            "double.blif:"),
            "cut.blif": (ADDER[:150], "cut.blif"),
        }
        for name, (text, words) in cases.items():
            self.refused(CIRCUIT, "compile", self.write(name, text), "-o", "out.blif", says=words)
        warned = self.write("odd.blif", ".model o\n.inputs a\n.outputs y\n.no_such_line\n.names a y\n1 1\n.end\n")
        done = self.call("compile", warned, "-o", "odd.toroid")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("odd.blif:4: warning:", done.stderr)
        self.refused(CIRCUIT, "compile", warned, "--strict", "-o", "strict.toroid", says="odd.blif:4")

    def test_own_sets_say_why(self):
        weak = json.loads(self.toroid("params", "show", "tfhe128", "--json"))
        weak.update(name="weak", security={})
        weak["lwe"]["std"] = -14.5
        self.write("weak.json", json.dumps(weak))
        reason = "lwe is not shown to have 128 bits: log2 of its std is 0.349 below the fit's line"
        self.refused(PARAMETERS, "keygen", "--params-file", "weak.json", "--out", "new", says=reason)
        text = self.toroid("params", "check", "weak.json")
        for words in (reason, "lwe_attacker_optimises_samples: not shown", "glwe: 128 bits", "lattice-estimator"):
            self.assertIn(words, text)

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_verilog(self):
        self.write("broken.v", "module broken(input a, output y);\n  assign y = a &;\nendmodule\n")
        self.refused(CIRCUIT, "compile", "broken.v", "-o", "out.toroid", says="broken.v:2")


class WrongFiles(CommandLineTest):
    def test_secret_key_given_to_the_server(self):
        for arguments in (replaced(RUN, "keys/evaluation.key", "keys/secret.key"),
                          replaced(RUN, "in.ct", "keys/secret.key"),
                          replaced(RUN, "adder.blif", "keys/secret.key"),
                          ("bench", "gates", "--key", "keys/secret.key")):
            self.refused(FORMAT, *arguments, says="secret key")

    def test_files_of_another_kind(self):
        self.refused(FORMAT, *replaced(RUN, "in.ct", "keys/public.key"), says="public key")
        self.refused(FORMAT, *replaced(RUN, "keys/evaluation.key", "in.ct"), says="ciphertext")
        self.refused(FORMAT, *replaced(RUN, "in.ct", "adder.json"), says="adder.json")
        self.refused(FORMAT, "decrypt", "--key", "keys/evaluation.key", "in.ct", says="evaluation key")
        self.refused(FORMAT, *replaced(ENCRYPT, "adder.json", "toy.json"), "a=1", "b=1", says="toy.json")

    def test_truncated_padded_and_damaged_files(self):
        for name in ("in.ct", "keys/evaluation.key"):
            whole = self.path(name).read_bytes()
            damaged = {"empty": b"", "short": whole[:-1], "head": whole[:40], "half": whole[:len(whole) // 2],
                       "padded": whole + b"\0", "flipped": whole[:200] + bytes([whole[200] ^ 1]) + whole[201:],
                       "future": whole[:8] + b"\xff\xff" + whole[10:]}
            for kind, content in damaged.items():
                with self.subTest(file=name, damage=kind):
                    self.write("damaged", content)
                    self.refused(FORMAT, *replaced(RUN, name, "damaged"), says="damaged")

    def test_missing_files_and_places(self):
        for name in ("in.ct", "keys/evaluation.key", "adder.blif"):
            self.refused(IO, *replaced(RUN, name, "missing"), says="missing")
        for place in ("no/where.ct", "keys"):
            self.refused(IO, *replaced(RUN, "out.ct", place), says=place)
        self.refused(IO, *RUN, "--report-file", "no/report", says="no/report")
        self.refused(IO, "decrypt", "--key", "keys/secret.key", "in.ct", "-o", "no/out.json", says="no/out.json")
        self.refused(IO, "compile", "adder.blif", "-o", "no/adder.toroid", says="no/adder.toroid")
        self.refused(IO, *ENCRYPT[:-1], "no/in.ct", "a=1", "b=1", says="no/in.ct")

    def test_keys_are_never_overwritten(self):
        before = self.path("keys/secret.key").read_bytes()
        self.refused(IO, "keygen", "--params-file", "toy.json", "--allow-comparison", "--out", "keys",
                     says="secret.key")
        self.refused(IO, "keygen", "--params-file", "toy.json", "--allow-comparison", "--secret", "new.key",
                     "--evaluation", "keys/evaluation.key", says="evaluation.key")
        self.assertEqual(self.path("keys/secret.key").read_bytes(), before)

    def test_a_secret_key_is_no_place_for_an_output(self):
        before = self.path("keys/secret.key").read_bytes()
        for arguments in (replaced(RUN, "out.ct", "keys/secret.key"), (*RUN, "--report-file", "keys/secret.key"),
                          (*replaced(ENCRYPT, "new.ct", "keys/secret.key"), "a=1", "b=1"),
                          ("compile", "adder.blif", "--interface", "keys/secret.key")):
            self.refused(IO, *arguments, says="never overwritten")
        self.assertEqual(self.path("keys/secret.key").read_bytes(), before)

    def test_names_that_are_too_long(self):
        long = "x" * 300
        self.refused(IO, *replaced(RUN, "out.ct", long), says="too long")
        self.refused(IO, "keygen", "--params-file", "toy.json", "--allow-comparison", "--secret", long,
                     "--evaluation", "e", says="too long")
        self.refused(VALUE, "simulate", "adder.blif", long + "/a=1", says="no port")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk_of_messages(self):
        with open("/dev/full", "w") as full:
            for code, arguments in ((PARAMETERS, ("params", "show", "nothing")), (0, RUN)):
                done = subprocess.run([COMMAND, *arguments], cwd=self.folder, stderr=full)
                self.assertEqual(done.returncode, code, arguments)
        self.assertEqual(self.decrypted("out.ct"), {"s": 5})

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            done = self.call("simulate", "adder.blif", "a=1", "b=1", stdout=full)
        self.assertEqual(done.returncode, IO, done.stderr)
        self.refused(IO, *replaced(RUN, "out.ct", "/dev/full"), says="/dev/full")

    def test_refused_run_keeps_an_old_output(self):
        self.run_adder()
        old = self.path("out.ct").read_bytes()
        self.refused(VALUE, *RUN, "--clear", "b=1")
        self.assertEqual(self.path("out.ct").read_bytes(), old)


class InterruptedSynthesis(CommandLineTest):
    """A yosys that never ends stands for a long synthesis."""

    def interrupted_by(self, sent, code):
        for name in ("bin", "temporary"):
            self.path(name).mkdir()
        self.write("bin/yosys", "#!/bin/sh\necho $$ > begun.new\nmv begun.new begun\nexec sleep 60\n")
        self.path("bin/yosys").chmod(0o755)
        self.write("top.v", "module top(input a, output y);\n  assign y = a;\nendmodule\n")
        environment = dict(os.environ, PATH=f"{self.path('bin')}:{os.environ['PATH']}",
                           TMPDIR=str(self.path("temporary")))
        process = subprocess.Popen([COMMAND, "compile", "top.v", "-o", "top.toroid"], cwd=self.folder,
                                   env=environment, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not self.path("begun").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(list(self.path("temporary").iterdir())), 1)
        process.send_signal(sent)
        message = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, code, message)
        self.assertIn("nothing was written", message)
        self.assertEqual(list(self.path("temporary").iterdir()), [])
        self.assertFalse(self.path("top.toroid").exists())
        self.assertFalse(os.path.exists(f"/proc/{self.path('begun').read_text().strip()}"))

    def test_interrupt(self):
        self.interrupted_by(signal.SIGINT, INTERRUPTED)

    def test_termination(self):
        self.interrupted_by(signal.SIGTERM, TERMINATED)


class Interruption(CommandLineTest):
    def setUp(self):
        super().setUp()
        # A long chain, so that the run lasts until the signal comes.
        gates = 20000
        lines = [".model chain", ".inputs a b", f".outputs y", ".names a b w0", "11 1"]
        for i in range(gates):
            lines += [f".names w{i} {'a' if i % 2 else 'b'} w{i + 1}", "10 1", "01 1"]
        lines += [f".names w{gates} y", "1 1", ".end", ""]
        # XOR with a, b, a, b, ... would fold; AND-OR alternation keeps every gate.
        text = "\n".join(lines).replace("10 1\n01 1", "0- 1\n-0 1")
        self.write("chain.blif", text)
        self.toroid("compile", "chain.blif", "--optimize", "none", "--interface", "chain.json", "-o", "chain.toroid")
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "chain.json", "a=1", "b=1", "-o", "c.ct")

    def interrupted_by(self, sent, code):
        before = self.files()
        process = subprocess.Popen([COMMAND, "run", "chain.toroid", "--key", "keys/evaluation.key", "--inputs", "c.ct",
                                    "--device", "reference", "-o", "out.ct"],
                                   cwd=self.folder, stderr=subprocess.PIPE, text=True)
        first = process.stderr.readline()  # the run has begun
        self.assertIn("0%", first)
        process.send_signal(sent)
        message = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, code, message)
        self.assertIn("nothing was written", message)
        self.assertEqual(self.files(), before)

    def test_interrupt(self):
        self.interrupted_by(signal.SIGINT, INTERRUPTED)

    def test_termination(self):
        self.interrupted_by(signal.SIGTERM, TERMINATED)


if __name__ == "__main__":
    unittest.main()
