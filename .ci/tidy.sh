#!/usr/bin/env bash
# Runs clang-tidy 14 with the checks of .clang-tidy. Configures build-tidy/ (preset dev, with clang) and compiles nothing.
#   .ci/tidy.sh            all sources of src/
#   .ci/tidy.sh FILE...    only these sources, and the headers that they include
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_packages.sh
# LibTorch's headers need the standard library of GCC 11 with clang: see src/clang.cmake.
scripts/install_packages.sh clang-tidy-14 clang libomp-dev libstdc++-11-dev
CXX=clang++ cmake --preset dev -B build-tidy >/dev/null

files=("$@")
if [[ $# -eq 0 ]]; then
  # These are compiled with other options only: without c10d, with NCCL, and with precompiled headers.
  mapfile -t files < <(git ls-files 'src/*.cpp' ':!src/distributed/join_unavailable.cpp' \
    ':!src/distributed/nccl_collectives.cpp' ':!src/torch_pch.cpp')
fi
# clang-tidy counts the warnings of system headers on stderr.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build-tidy --quiet 2> >(grep -v ' warnings generated' >&2)
echo "tidy.sh: no findings in ${#files[@]} sources" >&2
