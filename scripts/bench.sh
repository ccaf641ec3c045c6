#!/usr/bin/env bash
# Times attend against PyTorch on the reference job (tests/bench/reference.yaml) and prints one table in Markdown.
#   scripts/bench.sh [--rounds 3] [--seconds 60] [--threads "1 2"] [--sentences 1000] [--model DIR]
#                    [--window 10] [--only "roofline train start decode"] [--program FILE --roofline FILE]
# Builds first (unless the two programs are given), gets Multi30k, trains a model for the decoding part unless --model
# names one (training.max_minutes: --model-minutes 12), then lets the contenders take turns: every round trains each for
# --seconds, measured by windows of --window updates of which the first does not count, and translates --sentences lines
# with each (at batch size 1 a quarter of them). Nothing else should run meanwhile. Everything goes to build/bench; the
# table alone can be had again with scripts/bench_results.py table build/bench/results.jsonl
# Without python3-torch and python3-sentencepiece (Debian's) the PyTorch rows are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OMP_NUM_THREADS ATEN_CPU_CAPABILITY

rounds=3 seconds=60 window=10 threads_list="1 2" sentences=1000 model="" model_minutes=12
parts="roofline train start decode"
program="" roofline=""
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

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --*) [[ $# -ge 2 ]] || fail "$1 needs a value" ;;&
    --rounds) rounds=$2 ;;
    --seconds) seconds=$2 ;;
    --window) window=$2 ;;
    --threads) threads_list=$2 ;;
    --sentences) sentences=$2 ;;
    --model) model=$2 ;;
    --model-minutes) model_minutes=$2 ;;
    --only) parts=$2 ;;
    --program) program=$2 ;;
    --roofline) roofline=$2 ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift 2
done

wants() { [[ " $parts " == *" $1 "* ]]; }

# measure KEY=VALUE... -- COMMAND...: one line in the results. What fails is named below the table, with the reason.
measure() {
  say "${*:1:5}"
  python3 scripts/bench_results.py run "$results" "$@" || say "left out, for the reason above: ${*:1:5}"
}

# train OUTPUT OPTION...: the reference job
train() {
  "$program" train tests/bench/reference.yaml --overwrite --output "$@"
}

prepare() {
  if [[ -z $program || -z $roofline ]]; then
    scripts/build.sh -DATTEND_BUILD_TESTS=OFF -DATTEND_BUILD_BENCH=ON >&2
    program=build/src/cli/attend roofline=build/tests/bench/roofline
  fi
  scripts/get_multi30k.sh
  mkdir -p "$bench"
  : >"$results"
  [[ -f $bench/tokenizer/joint.model ]] || train "$bench/tokenizer" --quiet --set training.max_updates=1
}

# Sets `precisions` and `rivals`, the precisions that PyTorch runs with.
choose_contenders() {
  precisions=(f32)
  ! grep -qw avx512_bf16 /proc/cpuinfo || precisions+=(bf16)
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
  ! "$program" translate --help | grep -q -- --precision || decoding_precisions=(f32 bf16 int8)
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

time_decode() {
  local threads=$1 beam batch precision input
  for batch in 1 16 64; do
    input=$bench/test
    [[ $batch != 1 ]] || input=$bench/test.quarter
    for beam in 1 5; do
      for precision in "${decoding_precisions[@]}"; do
        time_search "attend ${precision:-f32}" "$threads" "$beam" "$batch" \
          "$program" translate ${precision:+--precision "$precision"}
      done
      for precision in "${rivals[@]}"; do
        time_search "PyTorch $precision" "$threads" "$beam" "$batch" "${pytorch[@]}" translate --precision "$precision"
      done
    done
  done
}

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
