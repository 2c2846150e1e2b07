#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command line does when all is well."""
import json
import os
import re
import shutil
import stat
import subprocess
import unittest

from command_line import ADDER, COMMAND, CommandLineTest, INTERNAL


class Workflow(CommandLineTest):
    def test_encrypted_run_gives_the_plain_result(self):
        for a in range(4):
            for b in (0, 1, 3):
                self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "adder.json", f"a={a}", f"b={b}",
                            "-o", "in.ct")
                self.run_adder()
                self.assertEqual(self.decrypted("out.ct"), {"s": a + b})
                plain = json.loads(self.toroid("simulate", "adder.blif", f"a={a}", f"b={b}"))
                self.assertEqual(plain, {"s": a + b})

    def test_secret_key_is_for_its_owner_alone(self):
        for name, private in (("secret.key", True), ("evaluation.key", False)):
            mode = stat.S_IMODE(os.stat(self.path("keys") / name).st_mode)
            self.assertEqual(mode & 0o077 == 0, private, name)

    def test_report(self):
        report = json.loads(self.run_adder("--report", "json"))
        figures = json.loads(self.toroid("inspect", "adder.blif", "--device", "reference", "--json"))
        self.assertEqual(report["bootstraps_done"], figures["bootstraps"])
        self.assertEqual(report["levels"], figures["depth"])
        self.assertGreater(report["peak_memory_bytes"], 1 << 20)
        self.run_adder("--report", "json", "--report-file", "report.json")
        self.assertEqual(json.loads(self.path("report.json").read_text())["circuit"], "adder")
        done = self.call("run", "adder.blif", "--key", "keys/evaluation.key", "--inputs", "in.ct", "-o", "out.ct")
        self.assertIn("bootstraps done", done.stderr)
        self.assertIn("100%", done.stderr)
        self.assertNotIn("\r", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_device_is_the_one_asked_for(self):
        report = json.loads(self.run_adder("--report", "json", "--device", "reference"))
        self.assertIn("reference", report["device"])
        self.assertEqual(self.decrypted("out.ct"), {"s": 5})

    def test_one_machine_as_two_devices(self):
        report = json.loads(self.run_adder("--report", "json", "--device", "cpu:0,0"))
        self.assertEqual([device["name"] for device in report["devices"]], ["cpu:0#1", "cpu:0#2"])
        self.assertEqual(sum(device["bootstraps"] for device in report["devices"]), report["bootstraps_done"])
        self.assertEqual(self.decrypted("out.ct"), {"s": 5})

    def test_public_key_and_two_parties(self):
        self.toroid("encrypt", "--public-key", "keys/public.key", "--interface", "adder.json", "--partial", "a=2",
                    "-o", "alice.ct")
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "adder.json", "--partial", "b=0b11",
                    "-o", "bob.ct")
        self.run_adder(inputs=("alice.ct", "bob.ct"))
        self.assertEqual(self.decrypted("out.ct"), {"s": 5})

    def test_clear_inputs(self):
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "adder.json", "--partial", "a=3",
                    "-o", "a.ct")
        report = json.loads(self.run_adder("--clear", "b=0x1", "--report", "json", inputs=("a.ct",)))
        self.assertEqual(self.decrypted("out.ct"), {"s": 4})
        whole = json.loads(self.toroid("inspect", "adder.blif", "--device", "reference", "--json"))
        self.assertLess(report["bootstraps_done"], whole["bootstraps"])
        self.toroid("run", "adder.blif", "--key", "keys/evaluation.key", "--clear", "a=1", "b=1", "-o", "out.ct")
        self.assertEqual(self.decrypted("out.ct"), {"s": 2})

    def test_report_names_the_transform_that_ran(self):
        for transform, named in (("ntt", ", ntt,"), ("fft", ", fft,"), ("auto", ", fft,")):
            report = json.loads(self.run_adder("--device", "cpu", "--transform", transform, "--report", "json"))
            self.assertIn(named, report["device"])
            self.assertEqual(self.decrypted("out.ct"), {"s": 5})

    def test_values_files_and_forms_of_output(self):
        self.write("values.json", '{"a": "0x3", "b": 3}')
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "adder.json", "--values", "values.json",
                    "-o", "in.ct")
        self.run_adder()
        hexadecimal = self.toroid("decrypt", "--key", "keys/secret.key", "out.ct", "--hex")
        self.assertEqual(json.loads(hexadecimal), {"s": "0x6"})
        table = self.toroid("decrypt", "--key", "keys/secret.key", "out.ct", "--format", "table")
        self.assertEqual(table.split(), ["s", "6"])
        self.toroid("decrypt", "--key", "keys/secret.key", "out.ct", "-o", "out.json")
        self.assertEqual(json.loads(self.path("out.json").read_text()), {"s": 6})
        self.toroid("simulate", "adder.blif", "a=1", "--values", self.write("b.json", '{"b": 1}'), "-o", "plain.json")
        self.assertEqual(json.loads(self.path("plain.json").read_text()), {"s": 2})

    def test_output_of_one_run_is_input_of_the_next(self):
        self.run_adder()
        self.write("odd.blif", ".model odd\n.inputs s[0] s[1] s[2]\n.outputs y\n.names s[0] y\n1 1\n.end\n")
        self.toroid("run", "odd.blif", "--key", "keys/evaluation.key", "--inputs", "out.ct", "-o", "odd.ct")
        self.assertEqual(self.decrypted("odd.ct"), {"y": 1})

    def test_compiled_circuit_is_the_same_function(self):
        self.toroid("compile", "adder.blif", "-o", "adder.toroid", "--interface", "again.json")
        self.assertEqual(self.path("again.json").read_bytes(), self.path("adder.json").read_bytes())
        first = self.path("adder.toroid").read_bytes()
        self.toroid("compile", "adder.blif", "-o", "adder.toroid")
        self.assertEqual(self.path("adder.toroid").read_bytes(), first)
        self.toroid("compile", "adder.toroid", "-o", "back.blif")
        self.assertEqual(json.loads(self.toroid("simulate", "back.blif", "a=2", "b=3")), {"s": 5})
        self.toroid("run", "adder.toroid", "--key", "keys/evaluation.key", "--inputs", "in.ct", "-o", "out.ct")
        self.assertEqual(self.decrypted("out.ct"), {"s": 5})

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_verilog(self):
        self.write("low.v", "module top(input signed [3:0] a, input signed [3:0] b, output signed [4:0] y);\n"
                            "  assign y = a - b;\nendmodule\n")
        self.toroid("compile", "low.v", "-o", "low.toroid", "--interface", "low.json", "--top", "top")
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "low.json", "a=-8", "b=7", "-o", "in.ct")
        self.toroid("run", "low.toroid", "--key", "keys/evaluation.key", "--inputs", "in.ct", "-o", "out.ct")
        self.assertEqual(self.decrypted("out.ct"), {"y": -15})


    @unittest.skipUnless(shutil.which("clang-19"), "clang-19 is not installed")
    def test_c_is_compiled_verified_and_explained_line_by_line(self):
        self.path("distance.c").write_text("unsigned char distance(unsigned char a, unsigned char b) {\n"
                                           "  return a > b ? a - b : b - a;\n}\n")
        done = self.call("compile", "distance.c", "-o", "distance.toroid", "--explain", "--verify", "20")
        self.assertIn("verified on 20 vectors against native code", done.stderr)
        places = re.findall(r"^ *(\d+) +[\d.]+%  (.*)$", done.stdout, re.M)
        self.assertEqual([place for _, place in places], ["distance.c:2"])
        for a, b in ((100, 103), (7, 7), (255, 0)):
            plain = json.loads(self.toroid("simulate", "distance.toroid", f"a={a}", f"b={b}"))
            self.assertEqual(plain, {"result": abs(a - b)})

    @unittest.skipUnless(shutil.which("yosys") and shutil.which("iverilog"), "yosys or iverilog is not installed")
    def test_verilog_is_explained_line_by_line_with_folders_and_macros(self):
        self.path("parts").mkdir()
        self.write("parts/product.vh", "assign p = a * b;\n")
        self.write("top.v", "module top(input [`N-1:0] a, b, output [`N-1:0] p, output less);\n"
                            "`include \"product.vh\"\n  assign less = a < `LIMIT & b[0];\nendmodule\n")
        done = self.call("compile", "top.v", "-o", "top.toroid", "--explain", "-Iparts", "-DN=5", "-D", "LIMIT=9")
        self.assertIn("verified on 64 vectors against Icarus Verilog", done.stderr)
        places = re.findall(r"^ *(\d+) +[\d.]+%  (.*)$", done.stdout, re.M)
        self.assertEqual([place for _, place in places], ["parts/product.vh:1", "top.v:3"])
        total = int(re.search(r"^ *(\d+) +in all$", done.stdout, re.M)[1])
        self.assertEqual(sum(int(cost) for cost, _ in places), total)
        self.assertIn(f"{total} bootstraps", done.stderr)
        plain = json.loads(self.toroid("simulate", "top.v", "-I", "parts", "-DN=5", "-DLIMIT=9", "a=7", "b=5"))
        self.assertEqual(plain, {"p": 3, "less": 1})

    @unittest.skipUnless(shutil.which("clang-19"), "clang-19 is not installed")
    def test_c_with_folders_and_macros(self):
        self.path("parts").mkdir()
        self.write("parts/number.h", "typedef unsigned char number;\n")
        self.write("f.c", "#include <number.h>\nnumber f(number a) { return a * FACTOR + ON; }\n")
        done = self.call("compile", "f.c", "-o", "f.toroid", "-I", "parts", "-D", "FACTOR=3", "-DON")
        self.assertIn("verified on 64 vectors against native code", done.stderr)
        self.assertEqual(json.loads(self.toroid("simulate", "f.toroid", "a=7")), {"result": 22})

    def test_circuit_from_a_pipe(self):
        os.mkfifo(self.path("pipe.blif"))
        process = subprocess.Popen([COMMAND, "simulate", "pipe.blif", "a=-0x0", "b=0b11"], cwd=self.folder,
                                   stdout=subprocess.PIPE, text=True)
        self.path("pipe.blif").write_text(self.path("adder.blif").read_text())
        self.assertEqual(json.loads(process.communicate(timeout=60)[0]), {"s": 3})


class Sequential(CommandLineTest):
    def run_counter(self, steps, *more):
        self.toroid("encrypt", "--key", "keys/secret.key", "--interface", "counter.json", f"step={steps}",
                    "-o", "steps.ct")
        self.toroid("run", "counter.blif", "--key", "keys/evaluation.key", "--inputs", "steps.ct", "-o", "out.ct",
                    *more)
        return self.decrypted("out.ct")

    def test_one_value_a_cycle(self):
        self.assertEqual(self.run_counter("1,1,0,1", "--cycles", "4"), {"n": [1, 2, 3, 3]})
        plain = json.loads(self.toroid("simulate", "counter.blif", "step=1,1,0,1", "--cycles", "4"))
        self.assertEqual(plain, {"n": [1, 2, 3, 3]})

    def test_held_value_and_last_cycle(self):
        self.assertEqual(self.run_counter("1", "--cycles", "5", "--last-cycle"), {"n": 1})
        self.assertEqual(self.run_counter("1"), {"n": 1})

    def test_clear_value_a_cycle(self):
        self.toroid("run", "counter.blif", "--key", "keys/evaluation.key", "--clear", "step=1,0,1", "--cycles", "3",
                    "-o", "out.ct")
        self.assertEqual(self.decrypted("out.ct"), {"n": [1, 2, 2]})


class Tools(CommandLineTest):
    def test_help_of_every_subcommand_has_an_example(self):
        top = self.toroid("--help")
        self.assertIn("Exit codes", top)
        commands = re.findall(r"^  ([a-z]+) +[A-Z]", top.split("Subcommands:")[1], re.M)
        self.assertGreaterEqual(len(commands), 11)
        for command in commands:
            self.assertIn("Example", self.toroid(command, "--help"), command)
        self.assertRegex(self.toroid("--version"), r"^toroid \d+\.\d+\.\d+\n$")

    def test_documented_exit_codes_are_the_helps(self):
        page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "cli.md")
        with open(page, encoding="utf-8") as file:
            documented = {int(code) for code in re.findall(r"^\| (\d+) \|", file.read(), re.M)}
        helped = {int(code) for code in re.findall(r"^ +(\d+)  ", self.toroid("--help").split("Exit codes:")[1], re.M)}
        self.assertEqual(documented - {143}, helped)

    def test_inspect(self):
        figures = json.loads(self.toroid("inspect", "adder.blif", "--device", "reference", "--json"))
        self.assertEqual([port["name"] for port in figures["inputs"]], ["a", "b"])
        self.assertEqual(sum(figures["width_by_level"]), figures["bootstraps"])
        self.assertGreater(figures["predicted_seconds"], 0)
        self.assertLess(figures["circuit_failure_log2"], -100)
        self.assertLess(figures["worst_gate_failure_log2"], -128)
        text = self.toroid("inspect", "adder.blif", "--device", "reference", "--params", "tfhe128-fast")
        for words in ("tfhe128-fast", "bootstraps", "depth", "predicted on reference", "largest weight norm"):
            self.assertIn(words, text)

    def test_params(self):
        names = [item["name"] for item in json.loads(self.toroid("params", "list", "--json"))]
        self.assertEqual(names[0], "tfhe128")
        text = self.toroid("params", "list")
        for name in names:
            self.assertIn(name, text)
            self.assertIn(name, self.toroid("params", "show", name))
            self.write("set.json", self.toroid("params", "show", name, "--json"))
            self.toroid("params", "check", "set.json")

    def test_devices(self):
        listed = json.loads(self.toroid("devices", "--json"))
        self.assertIn("reference", [device["name"] for device in listed])
        text = self.toroid("devices")
        for device in listed:
            self.assertEqual(device["present"], not device["absence_reason"])
            self.assertIn(device["name"], text)
            for card in device["cards"]:
                self.assertTrue(card["name"].startswith(device["name"] + ":"))
                self.assertIn(card["name"], text)
                self.assertEqual(card["usable"], not card["unusable_reason"])

    def test_bench(self):
        result = json.loads(self.toroid("bench", "gates", "--key", "keys/evaluation.key", "--seconds", "0.05",
                                        "--batch", "4", "--json"))
        self.assertEqual(result["batch"], 4)
        self.assertGreater(result["milliseconds_per_gate"], 0)
        self.assertIn("ms a gate", self.toroid("bench", "gates", "--params-file", "toy.json", "--seconds", "0.05"))

    def test_completion_scripts_parse_and_know_every_command(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.toroid("completion", shell)
            for words in ("keygen", "report-file", "params"):
                self.assertIn(words, script, shell)
            if shutil.which(shell):
                option = "--no-execute" if shell == "fish" else "-n"
                subprocess.run([shell, option], input=script, text=True, check=True)

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_completes(self):
        script = self.toroid("completion", "bash")

        def completions(*words):
            quoted = " ".join(f"'{word}'" for word in words)
            program = f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _toroid\n" \
                      'printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-c", program], cwd=self.folder, text=True, check=True,
                                  stdout=subprocess.PIPE).stdout.split()

        self.assertEqual(completions("toroid", "key"), ["keygen"])
        self.assertEqual(completions("toroid", "params", "sh"), ["show"])
        self.assertIn("--report-file", completions("toroid", "run", "--rep"))
        self.assertCountEqual(completions("toroid", "run", "add"), ["adder.blif", "adder.json"])
        self.assertEqual(completions("toroid", "decrypt", "--key", "keys/s"), ["keys/secret.key"])
        self.assertEqual(completions("toroid", "run", "--device", ""), [])


if __name__ == "__main__":
    unittest.main()
