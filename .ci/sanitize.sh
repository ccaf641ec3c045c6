#!/usr/bin/env bash
# The folders without LibTorch, which read what users give and hold the kernels, under AddressSanitizer and UBSan, in
# build-asan/: their unit tests, and each fuzz target for a few seconds. scripts/fuzz.sh fuzzes for longer. (The other
# folders build with the preset too, but take longer than CI has.)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folders=(core config text metrics align draw kernels)
cores=$(nproc)  # before OMP_NUM_THREADS, which it heeds
export OMP_NUM_THREADS=1 LSAN_OPTIONS="suppressions=$PWD/.ci/leaks.txt:print_suppressions=0"
# Of the tokenizer's module, which binds to its own operators first.
export ASAN_OPTIONS="alloc_dealloc_mismatch=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
cmake --preset asan
cmake --build build-asan --parallel "$cores" --target fuzz_targets "${folders[@]/%/_test}"
for folder in "${folders[@]}"; do
  "build-asan/tests/$folder/${folder}_test" --gtest_brief=1
done
ctest --test-dir build-asan -L fuzz --output-on-failure --parallel "$cores" --no-tests=error
