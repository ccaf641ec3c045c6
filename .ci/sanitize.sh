#!/usr/bin/env bash
# Builds with AddressSanitizer and UBSan in build-asan/ and runs the tests there.
#   .ci/sanitize.sh          the folders without LibTorch, which hold the kernels and read what users give, and each fuzz
#                            target for a few seconds (scripts/fuzz.sh fuzzes for longer)
#   .ci/sanitize.sh torch    the folders with LibTorch, which take longer than CI has for every change
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "") folders=(core config text metrics align draw kernels) targets=(fuzz_targets) ;;
  torch) folders=(data runtime distributed nn model storage decode train app server cli) targets=() ;;
  *) echo "sanitize.sh: unknown argument \"$1\"; expected torch or nothing" >&2; exit 2 ;;
esac
cores=$(nproc)  # before OMP_NUM_THREADS is set, which nproc obeys
export OMP_NUM_THREADS=1 LSAN_OPTIONS="suppressions=$PWD/.ci/leaks.txt:print_suppressions=0"
# The tokenizer's library frees memory with its own operator delete.
export ASAN_OPTIONS="alloc_dealloc_mismatch=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
cmake --preset asan
cmake --build build-asan --parallel "$cores" --target "${folders[@]/%/_test}" "${targets[@]}"
for folder in "${folders[@]}"; do
  "build-asan/tests/$folder/${folder}_test" --gtest_brief=1
done
[[ ${1:-} != torch ]] || exit 0
ctest --test-dir build-asan -L fuzz --output-on-failure --parallel "$cores" --no-tests=error
