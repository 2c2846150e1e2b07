#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the time per gate against the batch size, one line a parameter set, from the JSON of benchmarks/gate_gpu.

Usage: gate_gpu --json > times.json; plot_gate_times.py times.json -o times.png [--set tfhe128-fast ...]
"""
import argparse
import json
import sys


def read_lines(document, sets):
    """Set name -> ([batch], [us per gate]), sorted by batch."""
    found = {}
    for result in document.get("results", []):
        if not sets or result["set"] in sets:
            found.setdefault(result["set"], []).append((result["batch"], result["us_per_gate"]))
    unknown = sorted(set(sets) - set(found))
    if unknown or not found:
        sys.exit(f"no results of {', '.join(unknown) or 'any set'} in the file")
    return {name: tuple(zip(*sorted(points))) for name, points in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", help="JSON of gate_gpu")
    parser.add_argument("-o", "--output", default="gate_times.png")
    parser.add_argument("--set", nargs="+", default=[], help="only these parameter sets")
    arguments = parser.parse_args()
    with open(arguments.times, encoding="utf-8") as file:
        document = json.load(file)
    lines = read_lines(document, arguments.set)
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_gate_times.py needs matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for name, (batches, times) in lines.items():
        axes.plot(batches, times, marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("gates a batch")
    axes.set_ylabel("µs per gate")
    axes.set_title(document.get("device", ""), fontsize=9)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(arguments.output, dpi=150)
    print(arguments.output)


if __name__ == "__main__":
    main()
