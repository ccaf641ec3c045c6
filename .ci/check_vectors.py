#!/usr/bin/env python3
"""Checks that the compiler vectorised the kernels: check_vectors.py build/src/kernels/libattend_kernels.a

Disassembles the AVX2 and AVX-512 versions of each kernel (`call_avx2` and `call_avx512` of clones.h) for float and int8.
A kernel that uses no register of that width computes one number at a time, which no test of results shows. Double is
excluded: it only serves to check the mathematics, and some of its kernels call the standard library. top_of is excluded:
it only compares, in 16-byte registers.
"""
import re
import subprocess
import sys

WIDTHS = {"call_avx2": re.compile(r"%ymm"), "call_avx512": re.compile(r"%[yz]mm")}


def vector_instructions(library):
    """The number of vector instructions in each function compiled for one of WIDTHS."""
    listing = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", library], check=True, capture_output=True,
                             text=True).stdout
    counts = {}
    function = width = None
    for line in listing.splitlines():
        begin = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if begin:
            function = begin.group(1).replace("attend::kernels::", "").replace("(anonymous namespace)::", "")
            width = next((WIDTHS[name] for name in WIDTHS if f"::{name}(" in function), None)
            if width is not None and "double" not in function and "top_of" not in function:
                counts.setdefault(function, 0)
            else:
                width = None
        elif width is not None and width.search(line):
            counts[function] += 1
    return counts


def main():
    counts = vector_instructions(sys.argv[1])
    scalar = [function for function, count in counts.items() if count == 0]
    for function in scalar:
        print(f"check_vectors.py: no vector instruction in {function}", file=sys.stderr)
    if not counts:
        print(f"check_vectors.py: {sys.argv[1]}: no kernels for AVX2 or AVX-512", file=sys.stderr)
    elif not scalar:
        print(f"check_vectors.py: vector instructions in all {len(counts)} functions", file=sys.stderr)
    return 1 if scalar or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
