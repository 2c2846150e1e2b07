# SPDX-License-Identifier: Apache-2.0
"""Runs the toroid command (TOROID_COMMAND) in a folder of its own for each test."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ.get("TOROID_COMMAND", "toroid")

# Exit codes of docs/cli.md.
INTERNAL, USAGE, IO, FORMAT, PARAMETERS, KEY_MISMATCH, CIRCUIT, VALUE, NOISE, DEVICE = range(1, 11)
INTERRUPTED, TERMINATED = 130, 143

# tfhe128 with a short LWE key: gates take milliseconds. Right bits, no security.
TOY_SET = {
    "name": "toy", "purpose": "tests", "comparison_only": True, "order": "ks-first",
    "lwe": {"n": 24, "key": "binary", "std": -13.87},
    "glwe": {"N": 512, "k": 2, "key": "ternary", "std": -24.97},
    "mask": {"base_log": 8, "levels": 2}, "body": {"base_log": 7, "levels": 2},
    "key_switch": {"base_log": 2, "levels": 6, "modulus_log": 16},
}

# s = a + b (2 bits, unsigned)
ADDER = """.model adder
.inputs a[0] a[1] b[0] b[1]
.outputs s[0] s[1] s[2]
.names a[0] b[0] s[0]
10 1
01 1
.names a[0] b[0] c
11 1
.names a[1] b[1] c s[1]
100 1
010 1
001 1
111 1
.names a[1] b[1] c s[2]
11- 1
1-1 1
-11 1
.end
"""

# A 2-bit counter that starts at 1 and counts when `step` is 1.
COUNTER = """.model counter
.inputs step
.outputs n[0] n[1]
.latch d0 n[0] 1
.latch d1 n[1] 0
.names n[0] step d0
10 1
01 1
.names n[0] step c0
11 1
.names n[1] c0 d1
10 1
01 1
.end
"""


class CommandLineTest(unittest.TestCase):
    """A folder with keys of the toy set, the adder and its interface, made once a class and copied for each test."""

    @classmethod
    def setUpClass(cls):
        cls.template = pathlib.Path(tempfile.mkdtemp(prefix="toroid-cli-"))
        cls.addClassCleanup(shutil.rmtree, cls.template, ignore_errors=True)
        (cls.template / "toy.json").write_text(json.dumps(TOY_SET))
        (cls.template / "adder.blif").write_text(ADDER)
        (cls.template / "counter.blif").write_text(COUNTER)
        for arguments in (["keygen", "--params-file", "toy.json", "--allow-comparison", "--out", "keys", "-q"],
                          ["compile", "adder.blif", "--interface", "adder.json"],
                          ["compile", "counter.blif", "--interface", "counter.json"],
                          ["encrypt", "--key", "keys/secret.key", "--interface", "adder.json", "a=3", "b=2",
                           "-o", "in.ct"]):
            subprocess.run([COMMAND, *arguments], cwd=cls.template, check=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="toroid-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder, dirs_exist_ok=True)

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        path = self.path(name)
        path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content)
        return name

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())

    def call(self, *arguments, timeout=120, **options):
        return subprocess.run([COMMAND, *map(str, arguments)], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=timeout,
                              **options)

    def toroid(self, *arguments):
        """Runs a command that must succeed; returns its standard output."""
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, f"toroid {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def refused(self, code, *arguments, says=(), **options):
        """Runs a command that must fail with this code, say these words, and leave the folder as it was."""
        before = self.files()
        done = self.call(*arguments, **options)
        where = f"toroid {' '.join(map(str, arguments))}\n{done.stderr}"
        self.assertEqual(done.returncode, code, where)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stderr, where)
        self.assertEqual(self.files(), before, where)
        return done.stderr

    def decrypted(self, name):
        return json.loads(self.toroid("decrypt", "--key", "keys/secret.key", name))

    def run_adder(self, *more, inputs=("in.ct",)):
        return self.toroid("run", "adder.blif", "--key", "keys/evaluation.key", "--inputs", *inputs, "-o", "out.ct",
                           *more)
