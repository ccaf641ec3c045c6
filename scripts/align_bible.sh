#!/usr/bin/env bash
# Trains models that align the words of the Bible corpus without gold links, and evaluates their links on the test verses:
#   1. Trains configs/bible_align.yaml in both directions, and evaluates the links of attention and of its posterior.
#   2. Joins the attention of both directions for all verses (mutual links). --teacher posterior joins the posterior
#      instead, which is better but slower.
#   3. Trains both models further, with their attention one step after each word guided by those links, and evaluates the
#      links of that attention.
#   scripts/align_bible.sh [--output DIR] [--program FILE] [--jobs N] [--teacher METHOD] [TRAIN_OPTION...]
# TRAIN_OPTIONs go to attend train: --set training.precision=bf16 or --threads 1, for example. --jobs 2 trains both
# directions at the same time. Builds first unless --program is given. Finished steps are skipped and interrupted ones
# resume. Everything is in --output (runs/bible_align).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

config=configs/bible_align.yaml
data=data/bible
output=runs/bible_align program="" jobs=1 teacher=attention
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --output) output=$2; shift 2 ;;
    --program) program=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --teacher) teacher=$2; shift 2 ;;
    *) break ;;
  esac
done
options=("$@")

if [[ -z $program ]]; then
  scripts/install_packages.sh
  scripts/build.sh -DATTEND_BUILD_TESTS=OFF
  program=build/src/cli/attend
fi
[[ -e $data/bible.test.gold ]] || scripts/get_bible.sh
mkdir -p "$output"

# train NAME SETTING...: trains or resumes the model $output/NAME unless it is done.
train() {
  local name=$1 setting begin=--overwrite settings=()
  shift
  [[ ! -e $output/$name.done ]] || return 0
  echo "align_bible.sh: training $name" >&2
  for setting in "$@"; do settings+=(--set "$setting"); done
  [[ ! -e $output/$name/last.state ]] || begin=--resume
  "$program" train "$config" "${options[@]}" "${settings[@]}" --output "$output/$name" "$begin" \
    --log-file "$output/$name.log" --quiet
  touch "$output/$name.done"
}

# The config's data with source and target swapped.
reversed=("data.dev.source=$data/bible.dev.tok.es" "data.dev.target=$data/bible.dev.tok.en" "data.train=[$(
  for part in train dev test; do
    printf '{source: %s, target: %s},' "$data/bible.$part.tok.es" "$data/bible.$part.tok.en"
  done)]")

# guided_by DIRECTION: settings of step 3, guided by the links of that direction.
guided_by() {
  printf '%s\n' training.max_updates=1200 training.learning_rate=0.001 training.warmup_updates=100 \
    training.decay.start_updates=600 training.decay.every_updates=300 training.guided_alignment.shift=1 \
    training.guided_alignment.weight=1 \
    "training.init_from=$output/$1" "training.guided_alignment.links=[$(
      printf '%s,' "$output"/{train,dev,test}."$1".links)]"
}

train_en_es() { train en_es; }
train_es_en() { train es_en "${reversed[@]}"; }
train_guided_en_es() {
  local settings
  mapfile -t settings < <(guided_by en_es)
  train guided_en_es "${settings[@]}"
}
train_guided_es_en() {
  local settings
  mapfile -t settings < <(guided_by es_en)
  train guided_es_en "${reversed[@]}" "${settings[@]}"
}

# both COMMAND COMMAND: runs one after the other, or both at once with --jobs 2.
both() {
  if ((jobs > 1)); then
    $1 &
    local first=$!
    $2
    wait "$first"
  else
    $1
    $2
  fi
}

# align MODEL METHOD PART TO OPTION...: writes English-Spanish links to the file TO.
align() {
  local model=$1 method=$2 part=$3 to=$4
  shift 4
  "$program" align --model "$output/$model" --method "$method" --quiet --output "$to" "$@" \
    --source "$data/bible.$part.tok.en" --target "$data/bible.$part.tok.es"
}

# judge MODELS METHOD: prints alignment error rates on the test verses, for one direction and for both joined.
judge() {
  local models=$1 method=$2 how prefix=$output/$1$2 gold=(--gold "$data/bible.test.gold" --judge covered)
  printf '%-52s' "${models}en_es, $method"
  align "${models}en_es" "$method" test "$prefix.links" "${gold[@]}"
  for how in intersect grow-diag-final-and mutual; do
    printf '%-52s' "${models}en_es and ${models}es_en, $method, $how"
    align "${models}en_es" "$method" test "$prefix.$how.links" "${gold[@]}" \
      --reverse-model "$output/${models}es_en" --symmetrize "$how"
  done
}

both train_en_es train_es_en
judge "" attention
judge "" posterior
for part in train dev test; do
  [[ ! -e $output/$part.es_en.links ]] || continue
  align en_es "$teacher" "$part" "$output/$part.en_es.links" --reverse-model "$output/es_en" --symmetrize mutual
  sed -E 's/([0-9]+)-([0-9]+)/\2-\1/g' "$output/$part.en_es.links" >"$output/$part.tmp"
  mv "$output/$part.tmp" "$output/$part.es_en.links"
done
both train_guided_en_es train_guided_es_en
judge guided_ attention
