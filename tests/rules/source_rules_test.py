# SPDX-License-Identifier: Apache-2.0
"""Plants each kind of violation into a small project and expects check_source_rules.py to name it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))
import check_source_rules  # noqa: E402 (found through the line above)

CODE = "// SPDX-License-Identifier: Apache-2.0\n"
SCRIPT = "# SPDX-License-Identifier: Apache-2.0\n"
GOOD = {
    "CMakeLists.txt": SCRIPT,
    "include/toroid/error.hpp": CODE + "#include <string>\n",
    "include/toroid/client.hpp": CODE + '#include "toroid/error.hpp"\n',
    "src/CMakeLists.txt": SCRIPT + "toroid_layer(NAME scheme USES math LIBRARIES fmt::fmt)\n",
    "src/base/file.hpp": CODE,
    "src/math/torus.hpp": CODE + '#include "base/file.hpp"\n#include <boost/asio/post.hpp>\n',
    "src/scheme/key.hpp": CODE + '#include "math/torus.hpp"\n#include "base/file.hpp"\n#include "toroid/error.hpp"\n',
    "src/client/secret_key.hpp": CODE + '#include "scheme/key.hpp"\n',
    "src/circuit/circuit.hpp": CODE + '#include "base/file.hpp"\n',
    "src/compiler/verilog/reader.hpp": CODE + '#include "circuit/circuit.hpp"\n',
    "src/backend/backend.hpp": CODE + '#include "scheme/key.hpp"\n',
    "src/backend_cpu/engine.hpp": CODE + '#include "backend/backend.hpp"\n#include "math/torus.hpp"\n',
    "src/backend_reference/engine.hpp": CODE + '#include "backend/backend.hpp"\n',
    "src/runtime/plan.hpp": CODE + '#include "backend/backend.hpp"\n#include "circuit/circuit.hpp"\n',
    "src/api/common/interface.hpp": CODE + '#include "circuit/circuit.hpp"\n',
    "src/api/client/client.cpp": CODE + '#include "client/secret_key.hpp"\n#include "toroid/client.hpp"\n',
    "src/api/evaluation/evaluator.cpp": CODE + '#include "backend_cpu/engine.hpp"\n#include "api/common/interface.hpp"\n',
    "apps/toroid/options.hpp": CODE,
    "apps/toroid/main.cpp": CODE + '#include "options.hpp"\n#include "toroid/client.hpp"\n#include <CLI/CLI.hpp>\n',
    "tests/client/key_test.cpp": CODE + '#include "client/secret_key.hpp"\n',
    "tests/circuit/data/strange.cpp": "no licence line: this is data\n",
    "scripts/tool.py": "#!/usr/bin/env python3\n" + SCRIPT,
}


class SourceRules(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_source_rules.Check(pathlib.Path(folder)).run()

    def expect_violation(self, name, text, *parts):
        violations = self.check({name: text})
        self.assertEqual(len(violations), 1, f"{name}: {text!r} gives {violations}")
        self.assertTrue(violations[0].startswith(name + ":"), violations)
        for part in parts:
            self.assertIn(part, violations[0])

    def test_the_unchanged_project_passes(self):
        self.assertEqual(self.check({}), [])

    def test_the_program_fails_and_names_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder, "src", "runtime", "bad.cpp")
            bad.parent.mkdir(parents=True)
            pathlib.Path(folder, "src", "client").mkdir()
            bad.write_text(CODE + '\n#include "client/secret_key.hpp"\n')
            result = subprocess.run([sys.executable, SCRIPTS / "check_source_rules.py", folder], capture_output=True,
                                    text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("src/runtime/bad.cpp:3: 'client/secret_key.hpp': runtime may not include client", result.stdout)
            empty = subprocess.run([sys.executable, SCRIPTS / "check_source_rules.py", bad], capture_output=True,
                                   text=True, check=False)
            self.assertNotEqual(empty.returncode, 0, "a wrong folder must not pass as a clean one")

    def test_each_forbidden_edge_is_found(self):
        header = {"base": "base/file.hpp", "math": "math/torus.hpp", "scheme": "scheme/key.hpp",
                  "client": "client/secret_key.hpp", "circuit": "circuit/circuit.hpp",
                  "compiler": "compiler/verilog/reader.hpp", "backend": "backend/backend.hpp",
                  "backend_cpu": "backend_cpu/engine.hpp", "backend_reference": "backend_reference/engine.hpp",
                  "runtime": "runtime/plan.hpp", "api/common": "api/common/interface.hpp"}
        allowed = {"base": "", "math": "base", "scheme": "base math", "client": "base math scheme", "circuit": "base",
                   "compiler": "base circuit", "backend": "base math scheme", "backend_cpu": "base math scheme backend",
                   "backend_reference": "base math scheme backend",
                   "runtime": "base math scheme circuit backend",
                   "api/common": "base math scheme circuit compiler backend runtime"}
        for layer in header:
            for used in header:
                if used == layer:
                    continue
                text = CODE + f'#include "{header[used]}"\n'
                with self.subTest(layer=layer, used=used):
                    if used in allowed[layer].split():
                        self.assertEqual(self.check({f"src/{layer}/new.cpp": text}), [])
                    else:
                        self.expect_violation(f"src/{layer}/new.cpp", text, f"{layer} may not include {used}")

    def test_the_server_side_cannot_name_a_secret(self):
        for layer in ("api/evaluation", "api/common", "runtime", "backend_cpu"):
            self.expect_violation(f"src/{layer}/new.cpp", CODE + '#include "client/secret_key.hpp"\n', "may not include client")
            self.expect_violation(f"src/{layer}/new.cpp", CODE + "  #  include <client/secret_key.hpp>\n",
                                  "may not include client")

    def test_api_parts_see_only_the_common_part(self):
        self.expect_violation("src/api/client/new.cpp", CODE + '#include "api/evaluation/e.hpp"\n', "may not include")
        self.expect_violation("src/api/common/new.cpp", CODE + '#include "api/client/c.hpp"\n', "may not include")

    def test_layers_do_not_see_the_public_headers(self):
        self.expect_violation("src/runtime/new.cpp", CODE + '#include "toroid/client.hpp"\n', "toroid/error.hpp only")

    def test_applications_see_only_the_public_headers(self):
        for folder in ("apps/toroid", "bindings/python", "examples/cpp"):
            self.expect_violation(f"{folder}/new.cpp", CODE + '#include "base/file.hpp"\n', "own files only")
            self.expect_violation(f"{folder}/new.cpp", CODE + "#include <base/file.hpp>\n", "own files only")

    def test_public_headers_show_no_library(self):
        for name in ("<sodium.h>", "<nlohmann/json.hpp>", '"base/file.hpp"', "<cuda_runtime.h>", "<fmt/core.h>"):
            self.expect_violation("include/toroid/new.hpp", CODE + f"#include {name}\n", "public headers")

    def test_paths_start_at_the_root(self):
        self.expect_violation("src/scheme/new.cpp", CODE + '#include "../client/secret_key.hpp"\n', "start at")
        self.expect_violation("src/scheme/new.cpp", CODE + '#include "key.hpp"\n', "path from src/")
        self.expect_violation("src/scheme/new.cpp", CODE + '#include "math/missing.hpp"\n', "does not exist")

    def test_an_unknown_layer_is_found(self):
        self.expect_violation("src/helpers/new.cpp", CODE + '#include "base/file.hpp"\n', "no layer")

    def test_links_follow_the_same_rules(self):
        self.expect_violation("src/CMakeLists.txt", SCRIPT + "toroid_layer(NAME runtime\n USES circuit client)\n",
                              "'runtime' may not link 'client'")
        self.expect_violation("src/api/CMakeLists.txt", SCRIPT + "toroid_api_part(NAME evaluation USES client)\n",
                              "'api/evaluation' may not link 'client'")

    def test_licence_length_and_flags(self):
        self.expect_violation("src/base/new.cpp", "int x;\n", "SPDX")
        self.expect_violation("src/base/new.cpp", "\n" + CODE, "SPDX")
        self.expect_violation(".ci/run", "#!/bin/bash\n", "SPDX")
        self.expect_violation("src/base/new.cpp", CODE + "int x;\n" * 500, "501 lines")
        self.expect_violation("cmake/new.cmake", SCRIPT + "add_compile_options(-march=native)\n", "-march=native")


if __name__ == "__main__":
    unittest.main()
