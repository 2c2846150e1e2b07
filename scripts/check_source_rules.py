#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sources to the include rules of docs/architecture.md, so that the drawing cannot rot.

Usage: check_source_rules.py [project folder]. Prints one line a violation; exit code 1 if there is any.
"""
import pathlib
import re
import sys

# layer -> layers it may use; what those may use is allowed too. A name ending in * stands for every folder so begun.
MAY_USE = {
    "base": [],
    "math": ["base"],
    "scheme": ["math"],
    "client": ["scheme"],
    "circuit": ["base"],
    "compiler": ["circuit"],
    "backend": ["scheme"],
    "backend_*": ["backend", "math"],
    "runtime": ["circuit", "backend"],
    "service": ["runtime", "scheme"],
    # The API in parts: only its client part may see the client layer, and no part sees another but common.
    "api/common": ["scheme", "circuit", "compiler", "runtime"],
    "api/evaluation": ["api/common", "scheme", "circuit", "compiler", "runtime", "backend", "backend_*"],
    "api/client": ["api/common", "scheme", "circuit", "client"],
}
# Layers that implement the public headers; all others may include toroid/error.hpp alone.
PUBLIC_IMPLEMENTERS = {"api/common", "api/evaluation", "api/client"}

MOST_LINES = 500
# file -> why one file is right here
LONG_FILES = {}

CODE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".cc", ".cu", ".cuh", ".inl"}
SCRIPT_SUFFIXES = {".py", ".sh", ".cmake"}
SOURCE_FOLDERS = ["src", "include", "apps", "bindings", "tests", "benchmarks", "examples", "scripts", "cmake", ".ci"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LAYER_CALL = re.compile(r"\b(toroid_layer|toroid_api_part)\s*\(([^)]*)\)")


def allowed_layers(layer):
    """The layer itself and all it may use, directly or through others."""
    def direct(name):
        if name in MAY_USE:
            return MAY_USE[name]
        for pattern, uses in MAY_USE.items():
            if pattern.endswith("*") and name.startswith(pattern[:-1]):
                return uses
        return None

    if direct(layer) is None:
        return None
    seen, waiting = set(), [layer]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(direct(name) or [])
    return seen


def permits(allowed, layer):
    return layer in allowed or any(a.endswith("*") and layer.startswith(a[:-1]) for a in allowed)


def layer_of(parts):
    """The layer of a path below src/, given as its parts; None for a file outside every layer."""
    if len(parts) >= 3 and parts[0] == "api":
        return f"api/{parts[1]}"
    return parts[0] if len(parts) >= 2 else None


class Check:
    def __init__(self, root):
        self.root = root
        self.violations = []
        source = root / "src"
        self.layers = {p.name for p in source.iterdir() if p.is_dir()} if source.is_dir() else set()

    def report(self, path, line, message):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def sources(self):
        for folder in SOURCE_FOLDERS:
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    yield path
        if (self.root / "CMakeLists.txt").is_file():
            yield self.root / "CMakeLists.txt"

    def run(self):
        for path in self.sources():
            relative = path.relative_to(self.root)
            is_code = path.suffix in CODE_SUFFIXES
            is_cmake = path.suffix == ".cmake" or path.name == "CMakeLists.txt"
            # Input files of tests and examples are data, whatever their language.
            is_data = "data" in relative.parts or "corpus" in relative.parts
            if is_data or not (is_code or is_cmake or path.suffix in SCRIPT_SUFFIXES or relative.parts[0] == ".ci"):
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            self.check_head(path, lines)
            self.check_length(path, relative, lines)
            if is_cmake:
                self.check_cmake(path, relative, lines)
            if is_code:
                for number, line in enumerate(lines, 1):
                    match = INCLUDE.match(line)
                    if match:
                        self.check_include(path, relative, number, match[1] == '"', match[2])
        return self.violations

    def check_head(self, path, lines):
        first = 1 if lines and lines[0].startswith("#!") else 0
        if len(lines) <= first or lines[first] not in ("// SPDX-License-Identifier: Apache-2.0",
                                                       "# SPDX-License-Identifier: Apache-2.0"):
            self.report(path, first + 1, "the line 'SPDX-License-Identifier: Apache-2.0' is missing")

    def check_length(self, path, relative, lines):
        if len(lines) > MOST_LINES and str(relative) not in LONG_FILES:
            self.report(path, len(lines), f"{len(lines)} lines; at most {MOST_LINES} are allowed")

    def check_cmake(self, path, relative, lines):
        text = "\n".join(line.split("#")[0] for line in lines)
        if "-march=native" in text:
            self.report(path, 1, "-march=native ties the program to the building machine")
        if relative.parts[0] != "src":
            return
        for call, arguments in LAYER_CALL.findall(text):
            words = arguments.split()
            if "NAME" not in words or "USES" not in words:
                continue
            name = words[words.index("NAME") + 1]
            layer = f"api/{name}" if call == "toroid_api_part" else name
            allowed = allowed_layers(layer)
            if allowed is None:
                self.report(path, 1, f"target '{layer}' is no layer of the architecture")
                continue
            for used in words[words.index("USES") + 1:]:
                if used.isupper():
                    break
                if used in self.layers and not permits(allowed, used):
                    self.report(path, 1, f"target '{layer}' may not link '{used}'")

    def check_include(self, path, relative, number, quoted, name):
        if ".." in name.split("/"):
            self.report(path, number, f"'{name}': includes start at src/, include/ or tests/")
            return
        first = name.split("/")[0]
        # An angle bracket does not hide a layer.
        layer_name = first in self.layers and "/" in name
        if relative.parts[0] == "include":
            if first != "toroid" and ("/" in name or "." in name or quoted):
                self.report(path, number, f"'{name}': public headers include the standard library and toroid/ only")
        elif relative.parts[0] in ("apps", "bindings", "examples"):
            if layer_name or (quoted and first != "toroid" and not self.is_beside(path, name)):
                self.report(path, number, f"'{name}': {relative.parts[0]} may include include/toroid and own files only")
        elif relative.parts[0] == "src":
            self.check_layer_include(path, relative, number, quoted, name)

    def is_beside(self, path, name):
        return any((folder / name).is_file() for folder in path.parents if self.root in folder.parents)

    def check_layer_include(self, path, relative, number, quoted, name):
        layer = layer_of(relative.parts[1:])
        allowed = allowed_layers(layer) if layer else None
        if allowed is None:
            self.report(path, number, f"'src/{relative.parts[1]}' is no layer of the architecture")
            return
        parts = name.split("/")
        if parts[0] == "toroid":
            if name != "toroid/error.hpp" and layer not in PUBLIC_IMPLEMENTERS:
                self.report(path, number, f"'{name}': layers below the API may include toroid/error.hpp only")
            return
        if parts[0] not in self.layers or len(parts) < 2:
            # Also a file beside the includer, but named from src/, so that one file has one name.
            if quoted:
                self.report(path, number, f"'{name}' is no file of a layer; write its path from src/")
            return
        target = layer_of(parts)
        if target is None or not permits(allowed, target):
            self.report(path, number, f"'{name}': {layer} may not include {target}")
        elif quoted and not (self.root / "src" / name).is_file():
            self.report(path, number, f"'{name}' does not exist below src/")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    if not (root / "src").is_dir():
        sys.exit(f"{root}: no src folder here")
    violations = Check(root).run()
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations of the source rules")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
