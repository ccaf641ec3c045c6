#!/usr/bin/env bash
# Trains configs/compare_attention.yaml with every score, then with every distribution, scope and multiplicity (with
# additive scores), evaluates each model on the Bible's test verses, measures how far its attention explains its decisions
# on the first of them (attend explain), and prints two Markdown tables.
#   scripts/compare_attention.sh [--updates N] [--seeds "1 2 3"] [--jobs N] [--output DIR] [--only REGEX] [--program FILE]
#                                [--inside transformer] [--explained N]
# The first seed is used for every row, the others only for the rows in `repeated`, which show the noise. Finished models
# are skipped and interrupted ones resume. Every model trains with one thread; --jobs N trains N at a time (leave it at 1
# if the speeds matter). --explained N explains the first N verses (default 100; 0: none), also of finished models. Builds
# first unless --program is given. Everything is in --output (runs/compare_attention). To print only the tables:
# scripts/compare_attention_table.py runs/compare_attention
# --inside transformer: uses configs/compare_attention_transformer.yaml and sets each choice in all its attentions at
# once, in place of scaled dot products, softmax, global scope or four heads. If a choice does not work with a decoder's
# masked self-attention, that self-attention keeps the default ("name-unmasked"). If it works with no self-attention,
# only the attention to the source changes ("name-cross").
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset OPENBLAS_CORETYPE OMP_NUM_THREADS

config=configs/compare_attention.yaml
data=data/bible/bible.test
repeated="dot additive coverage"
updates="" seeds="1 2 3" jobs=1 output="" only=. program="" inside="" explained=100

fail() {
  echo "compare_attention.sh: $*" >&2
  exit 1
}

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --*) [[ $# -ge 2 ]] || fail "$1 needs a value" ;;&
    --updates) updates=$2 ;;
    --seeds) seeds=$2 ;;
    --jobs) jobs=$2 ;;
    --output) output=$2 ;;
    --only) only=$2 ;;
    --program) program=$2 ;;
    --inside) inside=$2 ;;
    --explained) explained=$2 ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift 2
done

case $inside in
  "") ;;
  transformer) config=configs/compare_attention_transformer.yaml repeated="dot scaled_dot" ;;
  *) fail "--inside $inside: expected transformer" ;;
esac
output=${output:-runs/compare_attention${inside:+_$inside}}

# choices KEY: the choices for model.attention.KEY, taken from the error message for an unknown one.
choices() {
  "$program" config "$config" --set "model.attention.$1=any" 2>&1 | sed -n 's/.*choices: //p' | tr -d ,
}

# Prints the rows of the table as "<axis> <name> [<key>=<value> ...]", with keys of model.attention.
rows() {
  local name
  for name in $(choices score); do
    case $name in
      location) echo "score $name score=$name max_source_length=120" ;;
      *) echo "score $name score=$name" ;;
    esac
  done
  for name in $(choices distribution); do
    case $name in
      softmax) ;;    # the same as the score additive
      hard) echo "distribution hard-reinforce score=additive distribution=hard"
            echo "distribution hard-gumbel score=additive distribution=hard estimator=gumbel" ;;
      sigmoid) echo "distribution sigmoid score=additive distribution=sigmoid"
               echo "distribution sigmoid-sum-1 score=additive distribution=sigmoid sum_to_one=true" ;;
      *) echo "distribution $name score=additive distribution=$name" ;;
    esac
  done
  for name in $(choices scope); do
    [[ $name == global ]] || echo "scope $name score=additive scope=$name"
  done
  echo "multiplicity 2-heads score=additive heads=2"
  echo "multiplicity 4-heads score=additive heads=4"
  echo "multiplicity 8-heads score=additive heads=8"
  echo "multiplicity per-feature score=additive per_feature=true"
}

# row_inside AXIS NAME KEY=VALUE...: prints the row that sets these keys in as many attentions of the Transformer as
# accept them.
row_inside() {
  local axis=$1 name=$2 where part setting
  shift 2
  for where in "attention encoder.layer_attention decoder.layer_attention" "attention encoder.layer_attention" attention; do
    local keys=() settings=()
    for part in $where; do
      for setting in "$@"; do keys+=("$part.$setting"); done
    done
    for setting in "${keys[@]}"; do settings+=(--set "model.$setting"); done
    if "$program" config "$config" "${settings[@]}" >/dev/null 2>&1; then
      case $where in
        *decoder*) ;;
        *encoder*) name+=-unmasked ;;
        *) name+=-cross ;;
      esac
      echo "$axis $name ${keys[*]}"
      return
    fi
  done
  echo "compare_attention.sh: skipped $*: no attention of $config accepts it" >&2
}

# Like rows, for --inside transformer: keys of model.
rows_inside() {
  local name heads
  for name in $(choices score); do
    case $name in
      location) row_inside score location score=location max_source_length=120 ;;
      *) row_inside score "$name" "score=$name" ;;
    esac
  done
  for name in $(choices distribution); do
    [[ $name == softmax ]] || row_inside distribution "$name" "distribution=$name"
  done
  for name in $(choices scope); do
    [[ $name == global ]] || row_inside scope "$name" "scope=$name"
  done
  for heads in 1 2 8; do
    echo "multiplicity $heads-heads attention.heads=$heads encoder.heads=$heads decoder.heads=$heads"
  done
}

# train DIR SEED SETTING...
train() {
  local dir=$1 seed=$2 setting begin=--overwrite prefix=attention.
  local settings=()
  shift 2
  [[ -z $inside ]] || prefix=""
  [[ -z $updates ]] || settings+=(--set "training.max_updates=$updates")
  for setting in "$@"; do settings+=(--set "model.$prefix$setting"); done
  [[ ! -e $dir/model/last.state ]] || begin=--resume
  "$program" train "$config" --threads 1 --quiet --seed "$seed" --output "$dir/model" "$begin" "${settings[@]}"
}

# measure AXIS NAME SEED SETTING...: one row. result.txt is written last, so it marks a finished row.
measure() {
  local axis=$1 name=$2 seed=$3 dir=$output/$1.$2.$3 side=()
  shift 3
  [[ ! -e $dir/result.txt ]] || return 0
  echo "compare_attention.sh: $axis $name, seed $seed" >&2
  mkdir -p "$dir"
  train "$dir" "$seed" "$@"
  side=(--threads 1 --model "$dir/model")
  "$program" translate "${side[@]}" --input "$data.tok.en" --output "$dir/test.es" 2>"$dir/translate.log"
  "$program" eval --hypothesis "$dir/test.es" --reference "$data.tok.es" --tokenize none >"$dir/bleu.txt"
  "$program" align "${side[@]}" --source "$data.tok.en" --target "$data.tok.es" --output "$dir/test.links" \
    --gold "$data.gold" --judge covered --quiet >"$dir/aer.txt"
  {
    "$program" inspect "$dir/model"
    "$program" inspect "$dir/model" --source "$data.tok.en" --target "$data.tok.es"
  } >"$dir/result.tmp" 2>"$dir/inspect.log"
  mv "$dir/result.tmp" "$dir/result.txt"
}

# explain AXIS NAME SEED: the records of attend explain for the first verses. explain.txt is written last. A model that
# explain refuses (one weight for each feature) gets no records, and explain.log says why.
explain() {
  local dir=$output/$1.$2.$3 status=0
  [[ $explained != 0 && ! -e $dir/explain.txt ]] || return 0
  "$program" explain --threads 1 --quiet --model "$dir/model" --source "$output/explained.en" --target "$output/explained.es" \
    --output "$dir/tokens.jsonl" --samples 1 >"$dir/explain.tmp" 2>"$dir/explain.log" || status=$?
  ((status == 0 || status == 2)) || fail "explain of $1 $2: $(tail -n 1 "$dir/explain.log")"
  mv "$dir/explain.tmp" "$dir/explain.txt"
}

# row AXIS NAME SEED SETTING...
row() {
  measure "$@"
  explain "$1" "$2" "$3"
}

if [[ -z $program ]]; then
  scripts/install_packages.sh
  scripts/build.sh -DATTEND_BUILD_TESTS=OFF
  program=build/src/cli/attend
fi
[[ -e $data.gold ]] || scripts/get_bible.sh

mkdir -p "$output"
for side in en es; do head -n "$explained" "$data.tok.$side" >"$output/explained.$side"; done

first=${seeds%% *}
while read -r axis name settings; do
  for seed in $seeds; do
    [[ $seed == "$first" || " $repeated " == *" $name "* ]] || continue
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
    # shellcheck disable=SC2086    # one argument for each setting
    row "$axis" "$name" "$seed" $settings </dev/null &
  done
done < <("rows${inside:+_inside}" | grep -E -- "$only")
while [[ -n $(jobs -rp) ]]; do wait -n; done
scripts/compare_attention_table.py "$output"
