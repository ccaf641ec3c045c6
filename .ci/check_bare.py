#!/usr/bin/env python3
"""Checks that tests/bench/bare builds from its own list of sources and few packages.

Follows the #include lines from train_bench.cpp. If a header of ours is included, the source beside it must be listed.
Other headers may come only from LibTorch, fmt, OpenMP and the system.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SOURCE = os.path.join(ROOT, "src")
BARE = os.path.join(ROOT, "tests/bench/bare/CMakeLists.txt")
PACKAGES = re.compile(r"(torch|ATen|c10|fmt|linux|sys)/|omp\.h|dlfcn\.h|unistd\.h|fcntl\.h|malloc\.h|poll\.h|[ix]mmintrin\.h|cpuid\.h")


def listed_sources():
    text = open(BARE, encoding="utf-8").read()
    listed = {os.path.relpath(file, SOURCE) for folder in re.findall(r"\$\{src\}/(\S+)/\*\.cpp", text)
              for file in glob.glob(os.path.join(SOURCE, folder, "**", "*.cpp"), recursive=True)}
    names = re.search(r"foreach\(source(.*?)\)", text, re.DOTALL).group(1).split()
    return listed | {name + ".cpp" for name in names}


def includes(path):
    for line in open(path, encoding="utf-8"):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
        if match:
            yield match.group(1) == '"', match.group(2)


def problems():
    listed = listed_sources()
    waiting = ["../tests/bench/train_bench.cpp", *listed]
    seen = set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        path = os.path.join(SOURCE, file)
        if not os.path.exists(path):
            yield f"{file} is listed, but does not exist"
            continue
        for is_ours, header in includes(path):
            beside = header.removesuffix(".h") + ".cpp"
            if is_ours:
                waiting.append(header)
                if os.path.exists(os.path.join(SOURCE, beside)) and beside not in listed:
                    yield f"{file} includes {header}, but {beside} is not listed"
            elif ("/" in header or header.endswith((".h", ".hpp"))) and not PACKAGES.match(header):
                yield f"{file} includes <{header}>, which a bare machine may not have"


if __name__ == "__main__":
    found = sorted(set(problems()))
    for problem in found:
        print(f"tests/bench/bare: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)
