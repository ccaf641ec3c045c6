#!/usr/bin/env bash
# Installs the packages, builds and tests. With CI=true, warnings are errors.
#   scripts/test.sh            everything including benchmarks, and all tests
#   scripts/test.sh FILE...    only the tests of these files of src/ or tests/, and what they need
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

options=(-DATTEND_BUILD_TESTS=ON)
if [[ ${CI:-} == true ]]; then options+=(-DATTEND_WERROR=ON); else options+=(-DATTEND_WERROR=OFF); fi

# tests_of FILE: its test, for example tests/nn/loss_test.cpp for src/nn/loss.h, or the folder if there is none.
tests_of() {
  local path=${1#src/}
  path=${path#tests/}
  path=tests/${path%.*}
  path=${path%_test}_test.cpp
  while [[ ! -e $path ]]; do path=$(dirname "$path"); done
  echo "$path"
}

# filter_of PATH: the filter "Suite.*:*/Suite.*:..." for all suites in a file or folder.
filter_of() {
  grep -rhoE '^TEST(_F|_P)?\(\w+' "$1" --include='*_test.cpp' | sed 's/.*(//' | sort -u |
    sed 's|.*|&.*:&/?.*:*/&.*|' | paste -sd :
}

test_files() {
  local file tests folder
  for file in "$@"; do
    tests=$(tests_of "$file")
    folder=$(cut -s -d / -f 2 <<<"$tests")
    [[ -n $folder ]] || { echo "test.sh: $file: expected a file in src/ or tests/" >&2; exit 1; }
    cmake --build build --parallel "$(nproc)" --target "${folder}_test"
    OMP_NUM_THREADS=1 "build/tests/$folder/${folder}_test" --gtest_filter="$(filter_of "$tests")"
  done
}

scripts/install_packages.sh
if [[ $# -gt 0 ]]; then
  cmake --preset release "${options[@]}"
  test_files "$@"
  exit
fi
scripts/build.sh "${options[@]}" -DATTEND_BUILD_BENCH=ON
scripts/make_quickstart_corpus.py --check
python3 .ci/test_scripts.py
ctest --test-dir build --output-on-failure --parallel "$(nproc)" --no-tests=error
