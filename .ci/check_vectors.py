#!/usr/bin/env python3
"""Checks that the compiler made vector code of the kernels: check_vectors.py build/src/kernels/libattend_kernels.a

Looks at what each kernel was compiled to for AVX2 and AVX-512 (`call_avx2` and `call_avx512` of clones.h), in float and
int8: without one register of that width it runs one number at a time, which no test of results shows. (In double some
call the standard library; that type is there to check the mathematics. top_of only compares, in registers of 16 bytes.)
"""
import re
import subprocess
import sys

WIDTHS = {"call_avx2": re.compile(r"%ymm"), "call_avx512": re.compile(r"%[yz]mm")}


def vector_instructions(library):
    """How many there are in each function that is compiled for one of WIDTHS."""
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
