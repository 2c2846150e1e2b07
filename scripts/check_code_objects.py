#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kernel of the sources must be in the code object of every architecture that clang put into the HIP objects.

Usage: check_code_objects.py --architectures gfx90a gfx1030 --sources *.cu *.cuh --objects *.o
Reads the objects itself (ELF, and clang's offload bundle), so that it needs none of ROCm's tools.
"""
import argparse
import pathlib
import re
import struct
import sys

KERNEL = re.compile(r"__global__\s+(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?(?:static\s+)?void\s+"
                    r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)\s*\(")
BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
SYMBOL_TABLE, DYNAMIC_SYMBOLS = 2, 11


def kernel_names(paths):
    """Kernel name -> file that defines it."""
    found = {}
    for path in paths:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        names = KERNEL.findall(text)
        if len(names) != text.count("__global__"):
            sys.exit(f"{path}: {text.count('__global__')} kernels, but only {names} could be named")
        found.update((name, path) for name in names)
    return found


def sections(data):
    """(name, type, content, index of the linked section) of a 64-bit little-endian ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    start, = struct.unpack_from("<Q", data, 40)
    size, count, names_index = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQII", data, start + i * size) for i in range(count)]
    contents = [b"" if h[1] == 8 else data[h[4]:h[4] + h[5]] for h in headers]
    return [(text_at(contents[names_index], h[0]), h[1], content, h[6]) for h, content in zip(headers, contents)]


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode()


def symbols(data):
    parts = sections(data)
    names = set()
    for _, kind, content, link in parts:
        if kind in (SYMBOL_TABLE, DYNAMIC_SYMBOLS):
            for offset in range(0, len(content), 24):
                name, = struct.unpack_from("<I", content, offset)
                names.add(text_at(parts[link][2], name))
    return names


def code_objects(path):
    """Architecture -> code objects in the bundles of a host object."""
    found = {}
    for name, _, content, _ in sections(path.read_bytes()):
        if name != ".hip_fatbin":
            continue
        at = content.find(BUNDLE_MAGIC)
        while at >= 0:
            entry = at + len(BUNDLE_MAGIC)
            count, = struct.unpack_from("<Q", content, entry)
            entry += 8
            for _ in range(count):
                offset, size, length = struct.unpack_from("<QQQ", content, entry)
                target = content[entry + 24:entry + 24 + length].decode()
                entry += 24 + length
                if target.startswith("hip"):
                    found.setdefault(target.split("--")[-1].split(":")[0], []).append(
                        content[at + offset:at + offset + size])
            at = content.find(BUNDLE_MAGIC, entry)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--architectures", nargs="+", required=True)
    parser.add_argument("--sources", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--objects", nargs="+", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    kernels = kernel_names(arguments.sources)
    if not kernels:
        sys.exit("the sources hold no kernel")
    present = {architecture: set() for architecture in arguments.architectures}
    for path in arguments.objects:
        for architecture, objects in code_objects(path).items():
            for data in objects:
                present.setdefault(architecture, set()).update(symbols(data))
    missing = 0
    for architecture in arguments.architectures:
        for name, path in sorted(kernels.items()):
            # A kernel's descriptor is its mangled name and .kd; the plain name is in it after its length.
            if not any(f"{len(name)}{name}" in symbol and symbol.endswith(".kd") for symbol in present[architecture]):
                print(f"{architecture}: no code for {name} of {path}")
                missing += 1
    if missing:
        sys.exit(1)
    print(f"{len(kernels)} kernels in the code of {', '.join(arguments.architectures)}")


if __name__ == "__main__":
    main()
