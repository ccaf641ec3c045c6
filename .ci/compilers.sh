#!/usr/bin/env bash
# Checks attend with other compilers than GCC 12, Debian 12's, which .ci/run uses. Builds in build-COMPILER/ with warnings as
# errors, checks that the kernels are vectorised, and runs the tests that depend on the compiler, once with all instructions
# of this CPU and once with AVX2 only.
#   .ci/compilers.sh                     GCC 11 (as in Ubuntu 22.04) and clang 14
#   .ci/compilers.sh g++-11|clang++...   only these
#   .ci/compilers.sh configure           only checks the configure messages for a missing BLAS or OpenMP
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folders=(core config text metrics align draw kernels runtime nn)

say() { printf 'compilers.sh: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

packages_of() {
  case $1 in
    g++-11) echo g++-11 ;;
    clang++) echo clang libomp-dev libstdc++-11-dev ;;
    *) fail "$1: expected g++-11, clang++ or configure" ;;
  esac
}

build() {
  CXX=$1 cmake --preset ci -B "build-$1"
  cmake --build "build-$1" --parallel "$(nproc)" --target attend "${folders[@]/%/_test}"
}

run_tests() {
  local limit folder
  for limit in native avx2; do
    for folder in "${folders[@]}"; do
      say "$1, ATTEND_MAX_CPU=$limit, tests of $folder"
      ATTEND_MAX_CPU=$limit OMP_NUM_THREADS=1 "build-$1/tests/$folder/${folder}_test" --gtest_brief=1
    done
  done
}

# configure_says TEXT OPTION...: checks that configuring with these options prints the text as an error or warning.
configure_says() {
  local text=$1 folder
  shift
  folder=$(mktemp -d)
  cmake -G Ninja -S . -B "$folder" -DATTEND_BUILD_TESTS=OFF "$@" >"$folder/output" 2>&1 || true
  tr -s ' \n' ' ' <"$folder/output" | grep -qF -- "$text" || {
    tail -n 20 "$folder/output" >&2
    fail "configuring with $* does not say: $text"
  }
  rm -rf "$folder"
}

check_configure() {
  local libraries openmp_flavour
  libraries=/usr/lib/$(g++ -print-multiarch)
  openmp_flavour=$libraries/openblas-openmp
  say "configuring without BLAS, with a slower BLAS, with a library that is not a BLAS, and without OpenMP"
  configure_says "No BLAS (the library for matrix products) was found. On Debian 12: apt-get install libopenblas-openmp-dev" \
    -DCMAKE_IGNORE_PATH="$openmp_flavour" -DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON
  configure_says "OpenBLAS in its OpenMP flavour was not found" -DCMAKE_IGNORE_PATH="$openmp_flavour"
  configure_says "is not a usable BLAS" -DATTEND_OPENBLAS="$libraries/libz.so"
  configure_says "OpenMP was not found. On Debian 12: apt-get install" -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON
}

compilers=("$@")
[[ $# -gt 0 ]] || compilers=(configure g++-11 clang++)
scripts/install_packages.sh
for compiler in "${compilers[@]}"; do
  if [[ $compiler == configure ]]; then
    check_configure
    continue
  fi
  packages=$(packages_of "$compiler")
  read -ra packages <<<"$packages"
  scripts/install_packages.sh "${packages[@]}"
  build "$compiler"
  .ci/check_vectors.py "build-$compiler/src/kernels/libattend_kernels.a"
  run_tests "$compiler"
done
say "all checks passed"
