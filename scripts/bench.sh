#!/usr/bin/env bash
# Times attend against PyTorch on the reference job (tests/bench/reference.yaml) and prints one Markdown table.
#   scripts/bench.sh [--rounds 3] [--seconds 60] [--threads "1 2"] [--sentences 1000] [--model DIR]
#                    [--window 10] [--only "roofline train start decode"] [--beam "1 5"] [--batch "1 16 64"]
#                    [--program FILE --roofline FILE]
# Builds first (unless both programs are given), downloads Multi30k, and trains a model for decoding unless --model names
# one (--model-minutes 12). The contenders then take turns. In every round, each trains for --seconds, measured in windows
# of --window updates (the first is ignored), and translates --sentences lines (a quarter of them at batch size 1). Keep the
# machine idle otherwise. Everything is in build/bench. To print only the table:
# scripts/bench_results.py table build/bench/results.jsonl
# With ATTEND_MAX_CPU=avx2 in the environment, all programs, PyTorch too, use only the instructions of such a CPU.
# Without Debian's python3-torch and python3-sentencepiece, the PyTorch rows are missing.
#   scripts/bench.sh --against COMMIT [--rounds 3] [--seconds 60] [--threads "1 2"] [--only "train decode"] [--beam 5] ...
# compares the current commit with another one (a branch, tag or hash), which is built in build/bench/against/HASH. The two
# train and translate in turn; every second round the other commit goes first. Prints the ratios of the medians, with the
# lowest and highest ratio of a round. The working tree must be clean, so that the results belong to a commit. --program
# FILE and --other-program FILE name programs that are already built.
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
python=/usr/bin/python3    # Debian's Python, for Debian's python3-torch
# Uses the OpenBLAS flavour that shares LibTorch's threads, even if the system prefers another one.
pytorch=(env "LD_LIBRARY_PATH=/usr/lib/$(uname -m)-linux-gnu/openblas-openmp" "$python" scripts/bench_pytorch.py)

fail() {
  echo "bench.sh: $*" >&2
  exit 1
}
say() { echo "bench.sh: $*" >&2; }

# Sets `here` and `other`, the hashes of the commits to compare, and `parts`.
check_against() {
  local part changed
  git rev-parse --git-dir >/dev/null 2>&1 || fail "--against compares commits, but this folder is not a Git repository"
  here=$(git rev-parse HEAD)
  other=$(git rev-parse --quiet --verify "$against^{commit}") ||
    fail "--against $against: Git knows no such commit, branch or tag here; see git log and git branch --all (git fetch gets others)"
  [[ $other != "$here" || -n $other_program ]] || fail "--against $against is the commit that is checked out; name another"
  changed=$(git status --porcelain --untracked-files=no)
  [[ -z $changed ]] ||
    fail "--against compares commits, but these files have uncommitted changes; commit or stash them:"$'\n'"$changed"
  [[ $parts != "$all_parts" ]] || parts="train decode"
  for part in $parts; do
    [[ " train decode " == *" $part "* ]] || fail "--only $part: expected train or decode with --against"
  done
}

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
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
[[ -n $against || -z $other_program ]] || fail "--other-program needs --against COMMIT"

wants() { [[ " $parts " == *" $1 "* ]]; }

# measure KEY=VALUE... -- COMMAND...: adds one line to the results. A command that fails is listed below the table, with the
# reason.
measure() {
  say "${*:1:5}"
  python3 scripts/bench_results.py run "$results" ${side:+"side=$side" "round=$round"} "$@" || say "skipped, see the message above: ${*:1:5}"
}

# train OUTPUT OPTION...: runs the reference job.
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

# Succeeds if bf16 products are fast on this CPU, as limited by ATTEND_MAX_CPU.
has_bf16() {
  grep -qw avx512_bf16 /proc/cpuinfo && [[ ${ATTEND_MAX_CPU:-native} =~ ^(native|amx|avx512_bf16)$ ]]
}

# Sets `precisions`, and `rivals`, the precisions for PyTorch.
choose_contenders() {
  precisions=(f32)
  ! has_bf16 || precisions+=(bf16)
  rivals=("${precisions[@]}")
  "$python" -c 'import torch, sentencepiece' 2>/dev/null && return
  rivals=()
  say "PyTorch is skipped; to include it: apt-get install python3-torch python3-sentencepiece"
}

time_roofline() {
  measure part=roofline "threads=$1" -- "$roofline" "$1"
}

# time_attend_training THREADS KERNELS PRECISION
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

# Times a process that only loads LibTorch, and the start of a training up to the first update.
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

# time_search CONTENDER THREADS BEAM BATCH COMMAND...: times the command, which writes $bench/translation.
time_search() {
  local contender=$1 threads=$2 beam=$3 batch=$4 search
  search=("contender=$contender" "beam=$beam" "batch=$batch")
  measure part=decode "${search[@]}" "threads=$threads" -- "${@:5}" --model "$model" --threads "$threads" \
    --beam "$beam" --batch-size "$batch" --input "$input.en" --output "$bench/translation"
  measure part=bleu "${search[@]}" "threads=$threads" -- \
    "$program" eval --hypothesis "$bench/translation" --reference "$input.de" --tokenize none --json
}

# time_attend_search THREADS BEAM BATCH PRECISION. PRECISION is empty if the program has no --precision.
time_attend_search() {
  time_search "attend ${4:-f32}" "$1" "$2" "$3" "$program" translate ${4:+--precision "$4"}
}

turns=()  # by_turns if two commits are compared

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

# by_turns COMMAND...: runs the command once with the program of each commit.
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

# Builds the program of the other commit, once for all runs.
build_other() {
  [[ -z $other_program ]] || return 0
  local tree=$bench/against/$other
  other_program=$tree/build/src/cli/attend
  [[ ! -f $tree/built ]] || return 0
  say "building $against in $tree"
  rm -rf "$tree"
  mkdir -p "$tree"
  git archive "$other" | tar -x -C "$tree"
  "$tree/scripts/build.sh" -DATTEND_BUILD_TESTS=OFF >&2 || fail "$against does not build here; see the messages above"
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
