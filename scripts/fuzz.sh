#!/usr/bin/env bash
# Builds the fuzz targets with AddressSanitizer and UBSan in build-fuzz/, runs them and prints a Markdown table of the
# results. Uses libFuzzer with clang (apt-get install clang libomp-dev), otherwise tests/fuzz/driver.cpp.
#   scripts/fuzz.sh [--runs N] [--seconds S] [--seed N] [--build DIR] [TARGET...]
# Each target runs for N executions (default 1,000,000) or S seconds (default: no limit), whichever comes first. Targets
# are those in tests/fuzz/CMakeLists.txt; the default is all that need no LibTorch. "requests" contains all of attend and
# takes a quarter of an hour to build. Inputs that cover new code are kept in build-fuzz/fuzz/TARGET/corpus and start the
# next run; inputs that cause a failure are in build-fuzz/fuzz/TARGET. The exit code is 1 after any failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=1000000 seconds=0 seed=1 build=build-fuzz targets=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --runs) runs=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --build) build=$2; shift 2 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "fuzz.sh: unknown option $1; see --help" >&2; exit 2 ;;
    *) targets+=("$1"); shift ;;
  esac
done
known=$(sed -nE 's/^ *attend_fuzz\(([a-z_]+) .*/\1/p' tests/fuzz/CMakeLists.txt)
light=$(sed -nE '/attend_fuzz\([a-z_]+ TORCH/!s/^attend_fuzz\(([a-z_]+) .*/\1/p' tests/fuzz/CMakeLists.txt)
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets <<<"$light"
for target in "${targets[@]}"; do
  grep -qx "$target" <<<"$known" || { echo "fuzz.sh: no target $target; targets: ${known//$'\n'/ }" >&2; exit 2; }
done

compiler=c++ sanitizers='address;undefined'
if command -v clang++ >/dev/null; then
  compiler=clang++ sanitizers='address;undefined;fuzzer-no-link'
fi
# The tokenizer's library allocates with its own operator new, but other code deletes the memory.
export ASAN_OPTIONS="alloc_dealloc_mismatch=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
# The precompiled LibTorch headers and the tests are not needed.
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DATTEND_SANITIZE="$sanitizers" -DATTEND_BUILD_FUZZ=ON -DATTEND_BUILD_TESTS=OFF -DATTEND_USE_PCH=OFF >&2
cmake --build "$build" --target "${targets[@]/#/fuzz_}" ${JOBS:+--parallel "$JOBS"} >&2

# seeds_of TARGET: the seed folders, the same as in CTest.
seeds_of() {
  echo "tests/fuzz/seeds/$1"
  [[ $1 != config_text ]] || echo configs
}

# run TARGET: runs it and prints its row of the table.
run() {
  local target=$1 folder=$build/fuzz/$1 log=$build/fuzz/$1/log status=0 executions edges
  local crashes=0 hangs=0 leaks=0
  mkdir -p "$folder/corpus"
  # shellcheck disable=SC2046  # up to two folders, without blanks
  "$build/tests/fuzz/fuzz_$target" -runs="$runs" -max_total_time="$seconds" -seed="$seed" -timeout=20 -max_len=4096 \
    -print_final_stats=1 -artifact_prefix="$folder/" "$folder/corpus" $(seeds_of "$target") >"$log" 2>&1 || status=$?
  executions=$(sed -nE 's/^stat::number_of_executed_units: +//p' "$log")
  edges=$(sed -nE 's/^#[0-9]+.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
  if grep -q 'LeakSanitizer: detected' "$log"; then
    leaks=1
  elif grep -qi 'ERROR: .*timeout' "$log"; then
    hangs=1
  elif [[ $status -ne 0 ]]; then
    crashes=1
  fi
  echo "| $target | ${executions:-0} | $crashes | $hangs | $leaks | ${edges:--} |"
  [[ $status -eq 0 ]] || { echo "fuzz.sh: $target failed; see $log" >&2; return 1; }
}

failed=0
echo "| target | executions | crashes | hangs | leaks | covered edges |"
echo "|---|---|---|---|---|---|"
for target in "${targets[@]}"; do run "$target" || failed=1; done
exit $failed
