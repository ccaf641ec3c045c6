#!/usr/bin/env bash
# Times attend against PyTorch on the reference job (tests/bench/reference.yaml) and prints one table in Markdown.
#   scripts/bench.sh [--rounds 3] [--seconds 60] [--threads "1 2"] [--sentences 1000] [--model DIR]
#                    [--window 10] [--only "roofline train start decode"] [--beam "1 5"] [--batch "1 16 64"]
#                    [--program FILE --roofline FILE]
# Builds first (unless the two programs are given), gets Multi30k, trains a model for the decoding part unless --model
# names one (training.max_minutes: --model-minutes 12), then lets the contenders take turns: every round trains each for
# --seconds, measured by windows of --window updates of which the first does not count, and translates --sentences lines
# with each (at batch size 1 a quarter of them). Nothing else should run meanwhile. Everything goes to build/bench; the
# table alone can be had again with scripts/bench_results.py table build/bench/results.jsonl
# ATTEND_MAX_CPU=avx2 in the environment holds all of them, PyTorch too, to what such a CPU has.
# Without python3-torch and python3-sentencepiece (Debian's) the PyTorch rows are missing.
#   scripts/bench.sh --against COMMIT [--rounds 3] [--seconds 60] [--threads "1 2"] [--only "train decode"] [--beam 5] ...
# compares this commit with another one (a branch, tag or hash) that is built in build/bench/against/HASH: training and
# translating by turns, the other one first in every second round, and prints the ratios of medians with the lowest and
# highest ratio of a round. Nothing may be uncommitted here, so that what was compared has a name; --program FILE and
# --other-program FILE name what is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OMP_NUM_THREADS ATEN_CPU_CAPABILITY ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA

rounds=3 seconds=60 window=10 threads_list="1 2" sentences=1000 model="" model_minutes=12
all_parts="roofline train start decode"
parts=$all_parts
program="" roofline=""
against="" other_program="" beams="1 5" batches="1 16 64"
bench=build/bench
results=$bench/results.jsonl
data=data/multi30k
python=/usr/bin/python3    # Debian's, which has Debian's python3-torch
# With the one BLAS that shares LibTorch's threads, whatever flavour the system prefers.
pytorch=(env "LD_LIBRARY_PATH=/usr/lib/$(uname -m)-linux-gnu/openblas-openmp" "$python" scripts/bench_pytorch.py)

fail() {
  echo "bench.sh: $*" >&2
  exit 1
}
say() { echo "bench.sh: $*" >&2; }

# Sets `here` and `other`, the hashes of the commits to compare, and the parts that two of them have.
check_against() {
  local part changed
  git rev-parse --git-dir >/dev/null 2>&1 || fail "--against compares commits, and this folder is no Git repository"
  here=$(git rev-parse HEAD)
  other=$(git rev-parse --quiet --verify "$against^{commit}") ||
    fail "--against $against: Git knows no such commit, branch or tag here; see git log and git branch --all (git fetch gets others)"
  [[ $other != "$here" || -n $other_program ]] || fail "--against $against is the commit that is checked out; name another"
  changed=$(git status --porcelain --untracked-files=no)
  [[ -z $changed ]] ||
    fail "--against compares commits, and these files have changes that are in none; commit or stash them:"$'\n'"$changed"
  [[ $parts != "$all_parts" ]] || parts="train decode"
  for part in $parts; do
    [[ " train decode " == *" $part "* ]] || fail "--only $part: --against knows train and decode"
  done
}

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,19s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --*) [[ $# -ge 2 ]] || fail "$1 needs a value" ;;&
    --rounds) rounds=$2 ;;
    --seconds) seconds=$2 ;;
    --window) window=$2 ;;
    --threads) threads_list=$2 ;;
    --sentences) sentences=$2 ;;
    --model) model=$2 ;;
    --model-minutes) model_minutes=$2 ;;
    --only) parts=$2 ;;
    --against) against=$2 ;;
    --beam) beams=$2 ;;
    --batch) batches=$2 ;;
    --program) program=$2 ;;
    --other-program) other_program=$2 ;;
    --roofline) roofline=$2 ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift 2
done

[[ -z $against ]] || check_against
[[ -n $against || -z $other_program ]] || fail "--other-program is what --against COMMIT compares with; give both"

wants() { [[ " $parts " == *" $1 "* ]]; }

# measure KEY=VALUE... -- COMMAND...: one line in the results. What fails is named below the table, with the reason.
measure() {
  say "${*:1:5}"
  python3 scripts/bench_results.py run "$results" ${side:+"side=$side" "round=$round"} "$@" || say "left out, for the reason above: ${*:1:5}"
}

# train OUTPUT OPTION...: the reference job
train() {
  "$program" train tests/bench/reference.yaml --overwrite --output "$@"
}

prepare() {
  if [[ -z $program || (-z $roofline && -z $against) ]]; then
    scripts/build.sh -DATTEND_BUILD_TESTS=OFF -DATTEND_BUILD_BENCH=ON >&2
    program=build/src/cli/attend roofline=build/tests/bench/roofline
  fi
  scripts/get_multi30k.sh
  mkdir -p "$bench"
  : >"$results"
  [[ -f $bench/tokenizer/joint.model ]] || train "$bench/tokenizer" --quiet --set training.max_updates=1
}

# Whether products in bf16 are fast: on this CPU, and on the one that ATTEND_MAX_CPU makes of it.
has_bf16() {
  grep -qw avx512_bf16 /proc/cpuinfo && [[ ${ATTEND_MAX_CPU:-native} =~ ^(native|amx|avx512_bf16)$ ]]
}

# Sets `precisions` and `rivals`, the precisions that PyTorch runs with.
choose_contenders() {
  precisions=(f32)
  ! has_bf16 || precisions+=(bf16)
  rivals=("${precisions[@]}")
  "$python" -c 'import torch, sentencepiece' 2>/dev/null && return
  rivals=()
  say "PyTorch is left out; to have it: apt-get install python3-torch python3-sentencepiece"
}

time_roofline() {
  measure part=roofline "threads=$1" -- "$roofline" "$1"
}

# THREADS KERNELS PRECISION
time_attend_training() {
  local threads=$1 kernels=$2 precision=$3
  measure part=train "contender=attend $kernels $precision" "threads=$threads" "history=$bench/run/train.jsonl" -- \
    "$program" train tests/bench/reference.yaml --quiet --overwrite --output "$bench/run" --threads "$threads" \
    --set "tokenizer.model=$bench/tokenizer/joint.model" --set "training.log_every=$window" \
    --set "training.max_minutes=$(python3 -c "print($seconds / 60)")" \
    --set "training.kernels=$kernels" --set "training.precision=$precision"
}

time_pytorch_training() {
  local threads=$1 precision=$2
  measure part=train "contender=PyTorch $precision" "threads=$threads" -- \
    "${pytorch[@]}" train --threads "$threads" --precision "$precision" --seconds "$seconds" --window "$window" \
    --tokenizer "$bench/tokenizer/joint.model" --source "$data/train.lc.norm.tok.en" --target "$data/train.lc.norm.tok.de"
}

time_train() {
  local threads=$1 precision
  time_attend_training "$threads" plain f32
  for precision in "${precisions[@]}"; do time_attend_training "$threads" fused "$precision"; done
  for precision in "${rivals[@]}"; do time_pytorch_training "$threads" "$precision"; done
}

# What a process costs that only loads LibTorch, and what goes before the first update.
time_start() {
  local threads=$1
  measure part=load contender=attend "threads=$threads" -- "$program" --version
  [[ ${#rivals[@]} == 0 ]] ||
    measure part=load contender=PyTorch "threads=$threads" -- "$python" -c 'import torch, sentencepiece'
  measure part=start contender=attend "threads=$threads" "history=$bench/run/train.jsonl" -- \
    "$program" train tests/bench/reference.yaml --quiet --overwrite --output "$bench/run" --threads "$threads" \
    --set "tokenizer.model=$bench/tokenizer/joint.model" --set training.max_updates=1 --set training.log_every=1
}

prepare_decoding() {
  local side
  for side in en de; do
    head -n "$sentences" "$data/test_2016_flickr.lc.norm.tok.$side" >"$bench/test.$side"
    awk 'NR % 4 == 1' "$bench/test.$side" >"$bench/test.quarter.$side"
  done
  decoding_precisions=("")
  ! "$program" translate --help | grep -q -- --precision || decoding_precisions=("${precisions[@]}" int8)
  [[ -z $model ]] || return 0
  model=$bench/model
  [[ -f $model/best.safetensors ]] ||
    train "$model" --set "tokenizer.model=$bench/tokenizer/joint.model" --set "training.max_minutes=$model_minutes"
}

# time_search CONTENDER THREADS BEAM BATCH COMMAND...: the command writes $bench/translation
time_search() {
  local contender=$1 threads=$2 beam=$3 batch=$4 search
  search=("contender=$contender" "beam=$beam" "batch=$batch")
  measure part=decode "${search[@]}" "threads=$threads" -- "${@:5}" --model "$model" --threads "$threads" \
    --beam "$beam" --batch-size "$batch" --input "$input.en" --output "$bench/translation"
  measure part=bleu "${search[@]}" "threads=$threads" -- \
    "$program" eval --hypothesis "$bench/translation" --reference "$input.de" --tokenize none --json
}

# THREADS BEAM BATCH PRECISION ("": the program knows one alone)
time_attend_search() {
  time_search "attend ${4:-f32}" "$1" "$2" "$3" "$program" translate ${4:+--precision "$4"}
}

turns=()  # what has each search done by turns, where two commits are compared

time_decode() {
  local threads=$1 beam batch precision input
  for batch in $batches; do
    input=$bench/test
    [[ $batch != 1 ]] || input=$bench/test.quarter
    for beam in $beams; do
      for precision in "${decoding_precisions[@]}"; do
        "${turns[@]}" time_attend_search "$threads" "$beam" "$batch" "$precision"
      done
      for precision in "${rivals[@]}"; do
        time_search "PyTorch $precision" "$threads" "$beam" "$batch" "${pytorch[@]}" translate --precision "$precision"
      done
    done
  done
}

# COMMAND...: once with the program of each commit
by_turns() {
  local side own=$program sides="here there"
  ((round % 2)) || sides="there here"
  for side in $sides; do
    program=$own
    [[ $side == here ]] || program=$other_program
    "$@"
  done
  program=$own
}

compare_train() {
  local precision
  for precision in "${precisions[@]}"; do by_turns time_attend_training "$1" fused "$precision"; done
}

compare_decode() {
  local turns=(by_turns)
  time_decode "$1"
}

# The program of the other commit, built once for all runs.
build_other() {
  [[ -z $other_program ]] || return 0
  local tree=$bench/against/$other
  other_program=$tree/build/src/cli/attend
  [[ ! -f $tree/built ]] || return 0
  say "building $against in $tree"
  rm -rf "$tree"
  mkdir -p "$tree"
  git archive "$other" | tar -x -C "$tree"
  "$tree/scripts/build.sh" -DATTEND_BUILD_TESTS=OFF >&2 || fail "$against does not build here; its messages are above"
  touch "$tree/built"
}

compare() {
  prepare
  choose_contenders
  rivals=()
  build_other
  ! wants decode || prepare_decoding
  local threads part
  for ((round = 1; round <= rounds; ++round)); do
    for threads in $threads_list; do
      for part in train decode; do
        ! wants "$part" || "compare_$part" "$threads"
      done
    done
  done
  scripts/bench_results.py compare "$results" "${here:0:12}" "$against" | tee "$bench/against.md"
}

if [[ -n $against ]]; then
  compare
  exit 0
fi
prepare
choose_contenders
! wants decode || prepare_decoding
for ((round = 1; round <= rounds; ++round)); do
  for threads in $threads_list; do
    for part in roofline train start decode; do
      ! wants "$part" || "time_$part" "$threads"
    done
  done
done
scripts/bench_results.py table "$results" | tee "$bench/table.md"
