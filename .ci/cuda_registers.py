#!/usr/bin/env python3
"""Prints how many registers the CUDA kernels need, and fails if one keeps registers in memory (spills).

  .ci/cuda_registers.py LOG     LOG: output of a build with -DCMAKE_CUDA_FLAGS=-Xptxas=-v
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")


def read_kernels(lines):
    """Yields (architecture, mangled name, registers, bytes of stack and spills)."""
    name = architecture = None
    memory = 0
    for line in lines:
        if match := ENTRY.search(line):
            name, architecture = match.groups()
        elif match := FRAME.search(line):
            memory = sum(map(int, match.groups()))
        elif (match := USED.search(line)) and name:
            yield architecture, name, int(match[1]), memory
            name, memory = None, 0


def demangled(name):
    text = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()
    return re.sub(r"attend::kernels::device::|\(anonymous namespace\)::|\(.*$|^void ", "", text)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    kernels = defaultdict(list)
    for architecture, *kernel in read_kernels(Path(sys.argv[1]).read_text(errors="replace").splitlines()):
        kernels[architecture].append(kernel)
    if not kernels:
        sys.exit(f"cuda_registers.py: {sys.argv[1]} has no report of ptxas; build with -DCMAKE_CUDA_FLAGS=-Xptxas=-v")
    spilling = []
    for architecture, found in sorted(kernels.items()):
        name, registers, _ = max(found, key=lambda kernel: kernel[1])
        spilling += [f"{architecture}: {demangled(name)}: {memory} bytes" for name, _, memory in found if memory]
        print(f"{architecture}: {len(found)} kernels, at most {registers} registers ({demangled(name)})")
    if spilling:
        sys.exit("cuda_registers.py: kernels that keep registers in memory:\n" + "\n".join(spilling))
    print("no kernel keeps registers in memory")


if __name__ == "__main__":
    main()
