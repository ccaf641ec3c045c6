#!/usr/bin/env bash
# The best model that a small corpus gives, in a night: data diversification (Nguyen et al. 2020, arXiv 1911.01986).
#   1. trains --models models in each direction;
#   2. each translates its side of the training text, so that every sentence has other translations and other sources,
#      and --monolingual FILE, text of the target language alone, by the backward models;
#   3. trains one model on all of it, the given pairs --weight times.
#   scripts/diversify.sh --train SOURCE TARGET --dev SOURCE TARGET [--output DIR] [--config FILE] [--models 2]
#                        [--minutes 40] [--final-minutes 180] [--weight 2] [--monolingual FILE] [--seed 1] [--jobs 2]
#                        [--program FILE] [--dry-run] [TRAIN_OPTION...]
# What follows goes to every attend train. --jobs trainings run side by side, with one thread each. Says first what it
# will cost (--dry-run: and ends). What is done is skipped and what was stopped goes on. Builds first unless --program is
# given. Everything stays in --output (runs/diversify); the model is --output/final.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

output=runs/diversify config=$project/configs/multi30k_en_de.yaml program="" monolingual=""
models=2 minutes=40 final_minutes=180 weight=2 seed=1 jobs=2 dry_run=""
train=() dev=()
say() { echo "diversify.sh: $*" >&2; }
fail() {
  say "$*"
  exit 2
}

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --dry-run) dry_run=yes; shift; continue ;;
    --train | --dev) [[ $# -ge 3 ]] || fail "$1 takes two files, SOURCE and TARGET" ;;
    --output | --config | --program | --models | --minutes | --final-minutes | --weight | --monolingual | --seed | --jobs)
      [[ $# -ge 2 ]] || fail "$1 needs a value" ;;
    *) break ;;
  esac
  case $1 in
    --train) train=("$(realpath -- "$2")" "$(realpath -- "$3")"); shift 3 ;;
    --dev) dev=("$(realpath -- "$2")" "$(realpath -- "$3")"); shift 3 ;;
    --output) output=$2; shift 2 ;;
    --config) config=$2; shift 2 ;;
    --program) program=$(realpath -- "$2"); shift 2 ;;
    --models) models=$2; shift 2 ;;
    --minutes) minutes=$2; shift 2 ;;
    --final-minutes) final_minutes=$2; shift 2 ;;
    --weight) weight=$2; shift 2 ;;
    --monolingual) monolingual=$(realpath -- "$2"); shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
  esac
done
options=("$@")
[[ ${#train[@]} == 2 && ${#dev[@]} == 2 ]] || fail "give --train SOURCE TARGET and --dev SOURCE TARGET; see --help"
for file in "${train[@]}" "${dev[@]}" ${monolingual:+"$monolingual"}; do
  [[ -r $file ]] || fail "$file: no such file"
done

cost() {
  local rounds=$(((2 * models + jobs - 1) / jobs))
  local sides
  sides="$models x $(wc -l <"${train[0]}") lines each way${monolingual:+, $models x $(wc -l <"$monolingual") lines back}"
  say "$((2 * models)) trainings of $minutes minutes, $jobs at a time; translating $sides; a training of $final_minutes minutes"
  say "in all about $((rounds * minutes + final_minutes)) minutes and the translating; everything in $output"
}

# train_model NAME SETTING...: the model $output/NAME, unless it is there and done.
train_model() {
  local name=$1 setting begin=--overwrite settings=()
  shift
  [[ ! -e $output/$name.done ]] || return 0
  say "training $name"
  for setting in "$@"; do settings+=(--set "$setting"); done
  [[ ! -e $output/$name/last.state ]] || begin=--resume
  "$program" train "$config" "${options[@]}" "${settings[@]}" --output "$output/$name" "$begin" \
    --log-file "$output/$name.log" --quiet
  touch "$output/$name.done"
}

# translate MODEL INPUT OUTPUT: whole or not at all
translate() {
  [[ ! -e $output/$3 ]] || return 0
  say "translating $(basename "$2") by $1"
  "$program" translate --model "$output/$1" --input "$2" --output "$output/$3" --threads 1 --quiet \
    --log-file "$output/$1.log"
}

# The models of number $1, and what they make of the text.
forward() {
  train_model "forward.$1" "seed=$((seed + $1))" "training.max_minutes=$minutes" \
    "data.train=[{source: \"${train[0]}\", target: \"${train[1]}\"}]" \
    "data.dev={source: \"${dev[0]}\", target: \"${dev[1]}\"}"
  translate "forward.$1" "${train[0]}" "forward.$1.target"
}
backward() {
  train_model "backward.$1" "seed=$((seed + $1))" "training.max_minutes=$minutes" \
    "data.train=[{source: \"${train[1]}\", target: \"${train[0]}\"}]" \
    "data.dev={source: \"${dev[1]}\", target: \"${dev[0]}\"}"
  translate "backward.$1" "${train[1]}" "backward.$1.source"
  [[ -z $monolingual ]] || translate "backward.$1" "$monolingual" "monolingual.$1.source"
}

# in_turn COMMAND...: each "FUNCTION NUMBER", $jobs at a time. Fails if one does.
in_turn() {
  local command failed=0
  for command in "$@"; do
    while [[ $(jobs -rp | wc -l) -ge $jobs ]]; do wait -n || failed=1; done
    # shellcheck disable=SC2086
    $command &
  done
  while [[ -n $(jobs -p) ]]; do wait -n || failed=1; done
  [[ $failed == 0 ]] || { say "stopped; the same command goes on"; exit 1; }
}

all_text() {
  local i folder
  folder=$(realpath -- "$output")
  printf '{source: "%s", target: "%s", weight: %s}' "${train[0]}" "${train[1]}" "$weight"
  for ((i = 1; i <= models; i++)); do
    printf ', {source: "%s", target: "%s"}' "${train[0]}" "$folder/forward.$i.target"
    printf ', {source: "%s", target: "%s"}' "$folder/backward.$i.source" "${train[1]}"
    [[ -z $monolingual ]] || printf ', {source: "%s", target: "%s"}' "$folder/monolingual.$i.source" "$monolingual"
  done
}

cost
[[ -z $dry_run ]] || exit 0
if [[ -z $program ]]; then
  (cd "$project" && scripts/install_packages.sh && scripts/build.sh -DATTEND_BUILD_TESTS=OFF)
  program=$project/build/src/cli/attend
fi
mkdir -p "$output"
steps=()
for ((i = 1; i <= models; i++)); do steps+=("forward $i" "backward $i"); done
in_turn "${steps[@]}"
train_model final "seed=$seed" "training.max_minutes=$final_minutes" "data.train=[$(all_text)]" \
  "data.dev={source: \"${dev[0]}\", target: \"${dev[1]}\"}"
say "done: the model is $output/final"
