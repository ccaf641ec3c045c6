#!/usr/bin/env bash
# Aligns the words of the Bible corpus without gold links, and evaluates the links on the test verses, and on 150 of them
# that were judged word by word (data/bible_judged):
#   0. Links all verses by --method statistical, which needs no model.
#   1. Trains configs/bible_align.yaml in both directions, and evaluates the links of attention and of its posterior.
#   2. Joins the attention of both directions for all verses (mutual links). --teacher posterior joins the posterior
#      instead, which is better but slower.
#   3. Trains both models further with guided alignment: the links of step 2 are the target for the attention one step after
#      each word. Evaluates the links of that attention.
#   4. Joins the weights of step 0 and the posteriors of step 1 by --method vote, with the threshold that is best on dev.
#   scripts/align_bible.sh [--statistical] [--output DIR] [--program FILE] [--jobs N] [--teacher METHOD] [TRAIN_OPTION...]
# --statistical stops after step 0, which takes a minute or two, and also evaluates eflomal if it is installed.
# TRAIN_OPTIONs go to attend train: --set training.precision=bf16 or --threads 1, for example. --jobs 2 trains both
# directions at the same time. Builds first unless --program is given. Finished steps are skipped and interrupted ones
# resume. Everything is in --output (runs/bible_align).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

config=configs/bible_align.yaml
data=data/bible judged=data/bible_judged
output=runs/bible_align program="" jobs=1 teacher=attention statistical_only=""
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --statistical) statistical_only=1; shift ;;
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

# both COMMAND COMMAND: runs one command after the other, or both at once with --jobs 2.
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

# judged_lines FILE: prints the lines of a file for all test verses that belong to the judged verses.
judged_lines() {
  paste -d '\t' "$data/bible.test.names" "$1" | awk -F '\t' 'NR == FNR {judged[$0]; next} $1 in judged {print $2}' \
    "$judged/verses.names" -
}

# check_judged: fails if the words of the corpus differ from those of the judged verses.
check_judged() {
  local language
  for language in en es; do
    judged_lines "$data/bible.test.tok.$language" | cmp -s - "$judged/verses.$language" || {
      echo "align_bible.sh: $data/bible.test.tok.$language differs from $judged/verses.$language: other Debian packages?" >&2
      exit 1
    }
  done
}

# judge_judged NAME FILE: prints the error rate of links of all test verses on the judged ones.
judge_judged() {
  judged_lines "$2" >"$output/judged.links"
  printf '%-52s' "$1, judged"
  "$program" align --links "$output/judged.links" --gold "$judged/verses.gold" --quiet
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
    judge_judged "${models}en_es and ${models}es_en, $method, $how" "$prefix.$how.links"
  done
}

blank() { sed 's/.*//' "$1"; }

# Writes all verses, and their gold links with empty lines for the others, which --judge covered ignores.
join_verses() {
  local language part
  for language in en es; do
    cat "$data"/bible.{train,dev,test}.tok."$language" >"$output/all.$language"
    cat "$data"/bible.{dev,test}.tok."$language" >"$output/heldout.$language"
  done
  for part in dev test; do
    for other in train dev test; do
      if [[ $other == "$part" ]]; then cat "$data/bible.$part.gold"; else blank "$data/bible.$other.tok.en"; fi
    done >"$output/all.$part.gold"
  done
  cat "$data/bible.dev.gold" <(blank "$data/bible.test.tok.en") >"$output/heldout.dev.gold"
  cat <(blank "$data/bible.dev.tok.en") "$data/bible.test.gold" >"$output/heldout.test.gold"
}

# judge_links NAME FILE TEXT: prints alignment error rates of the links of a text, all or heldout, which end with the test
# verses.
judge_links() {
  local part
  for part in dev test; do
    printf '%-52s' "$1, $part"
    "$program" align --links "$2" --gold "$output/$3.$part.gold" --judge covered --quiet
  done
  tail -n "$(wc -l <"$data/bible.test.names")" "$2" >"$output/test.links"
  judge_judged "$1" "$output/test.links"
}

# statistical NAME OPTION...: links all verses without a model.
statistical() {
  local name=$1 start=$SECONDS
  shift
  "$program" align --method statistical --quiet --source "$output/all.en" --target "$output/all.es" \
    --output "$output/$name.links" "$@"
  judge_links "$name, $((SECONDS - start)) seconds" "$output/$name.links" all
}

eflomal() {
  local start=$SECONDS
  eflomal-align --overwrite -s "$output/all.en" -t "$output/all.es" -f "$output/eflomal.f" -r "$output/eflomal.r"
  "$program" align --method vote --quiet --source "$output/all.en" --target "$output/all.es" --threshold 1 \
    --votes "$output/eflomal.f" "$output/eflomal.r" --output "$output/eflomal.links"
  judge_links "eflomal, intersect, $((SECONDS - start)) seconds" "$output/eflomal.links" all
}

# Joins weights for the dev and test verses.
vote() {
  "$program" align --method statistical --quiet --source "$output/all.en" --target "$output/all.es" --format jsonl |
    tail -n "$(wc -l <"$output/heldout.en")" >"$output/statistical.jsonl"
  "$program" align --model "$output/en_es" --method posterior --quiet --format jsonl \
    --source "$output/heldout.en" --target "$output/heldout.es" --output "$output/en_es.jsonl"
  "$program" align --model "$output/es_en" --method posterior --quiet --format jsonl \
    --source "$output/heldout.es" --target "$output/heldout.en" --output "$output/es_en.jsonl"
  "$program" align --method vote --source "$output/heldout.en" --target "$output/heldout.es" \
    --votes "$output"/{statistical,statistical,en_es,es_en}.jsonl --gold "$output/heldout.dev.gold" --judge covered \
    --output "$output/vote.links"
  judge_links "vote of statistical and posterior" "$output/vote.links" heldout
}

check_judged
join_verses
statistical statistical
if [[ -n $statistical_only ]]; then
  statistical whole-words --stem 0
  statistical stems-of-5 --stem 5
  if command -v eflomal-align >/dev/null; then eflomal; fi
  exit 0
fi
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
vote
