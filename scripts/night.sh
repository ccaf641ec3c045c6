#!/usr/bin/env bash
# The best translations that a small corpus gives, in a night, by data diversification (Nguyen et al. 2020):
#   1. trains --models models in each direction;
#   2. each translates its side of the training text, so that every sentence has other translations and other sources;
#      the backward models also --monolingual FILE, text of the target language alone (back-translation, with a tag), the
#      forward models --monolingual-source FILE, text of the source language alone (self-training); with --together those
#      of a direction translate as one ensemble (ensemble distillation, Freitag et al. 2017); with --forward-only there are
#      no backward models, and half the cost; --rounds 2 trains and translates once more, by models that learn from the
#      first round's translations, too;
#   3. trains --finals models (several make an ensemble) on all of it, the given pairs --weight times; with
#      --right-to-left one more that writes from the end; with --cycles 2 each once more from where it ended, as long,
#      at half the learning rate;
#   4. with --mrt-minutes fine-tunes the finals on the metric (minimum-risk training), on the given pairs, and keeps what
#      that made where it is better on the dev text;
#   5. chooses on the dev text: the length penalty; then plain beam search, minimum Bayes risk (chrF or BLEU) or n-best
#      lists reranked by the scores of all these models. Weights are tuned for the dev text, so must win by 0.3 BLEU;
#   6. translates each --test SOURCE TARGET (may be repeated) in that way alone, once.
#   scripts/night.sh --train SOURCE TARGET --dev SOURCE TARGET [--test SOURCE TARGET]... [--output DIR] [--config FILE]
#                    [--teachers FILE]... [--models 2] [--together] [--forward-only] [--rounds 1] [--finals 1]
#                    [--right-to-left] [--minutes 40] [--final-minutes 180] [--cycles 1] [--mrt-minutes 0] [--weight 2]
#                    [--monolingual FILE] [--monolingual-source FILE] [--seed 1] [--jobs 2] [--device auto]
#                    [--final-set KEY=VALUE]... [--lines-per-second 100] [--penalties "0.6 0.8 1.0 1.2 1.4 1.6"]
#                    [--program FILE] [--dry-run] [TRAIN_OPTION...]
# --teachers: the config of step 1, where it is not that of the others; several take turns. --final-set: of the config,
# for the models of steps 3 and 4 alone. Each model of step 1 takes --minutes, each of step 3 --final-minutes a cycle.
# TRAIN_OPTIONs go to every attend train. Where the text is as people write it, not split into words, one should be
# --set training.validation.tokenize=13a (zh or char where there are no blanks): models are chosen by that BLEU.
# --jobs trainings run side by side, with one thread each, more where there are fewer of them. Says first what it will
# cost (--dry-run: and ends); --lines-per-second is what one core translates. What is done is skipped and what was
# stopped goes on. Builds first unless --program is given. Everything stays in --output (runs/night): the models are
# final.N, or tuned.N where step 4 made better ones, the scores are in results.txt.
# shellcheck disable=SC2046,SC2086    # functions give options as words; --output has no blanks
# shellcheck disable=SC2317           # in_turn calls functions by name
set -euo pipefail
export LC_ALL=C  # awk and sort read 0.5 as a number, whatever the user's language writes for the point
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly candidates=20

output=runs/night config=$project/configs/multi30k_en_de.yaml teachers=() final_options=() program="" device=auto
options=() monolingual="" monolingual_source=""
models=2 rounds=1 finals=1 minutes=40 final_minutes=180 cycles=1 mrt_minutes=0 weight=2 seed=1 jobs=2 lines_per_second=100
right_to_left="" together="" forward_only="" dry_run="" penalties="0.6 0.8 1.0 1.2 1.4 1.6"
train=() dev=() tests=()
say() { echo "night.sh: $*" >&2; }
fail() {
  say "$*"
  exit 2
}
# set_option --NAME VALUE: the variable of that name
set_option() {
  local name=${1#--}
  printf -v "${name//-/_}" %s "$2"
}

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,31s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --dry-run) dry_run=yes; shift; continue ;;
    --right-to-left) right_to_left=yes; shift; continue ;;
    --together) together=yes; shift; continue ;;
    --forward-only) forward_only=yes; shift; continue ;;
    --train | --dev | --test) [[ $# -ge 3 ]] || fail "$1 takes two files, SOURCE and TARGET" ;;
    --output | --config | --teachers | --program | --models | --rounds | --finals | --minutes | --final-minutes | \
      --cycles | --mrt-minutes | --weight | --monolingual | --monolingual-source | --seed | --jobs | --device | \
      --final-set | --lines-per-second | --penalties)
      [[ $# -ge 2 ]] || fail "$1 needs a value"
      ;;
    *) options+=("$1"); shift; continue ;;
  esac
  case $1 in
    --train) train=("$(realpath -m -- "$2")" "$(realpath -m -- "$3")"); shift 3 ;;
    --dev) dev=("$(realpath -m -- "$2")" "$(realpath -m -- "$3")"); shift 3 ;;
    --test) tests+=("$(realpath -m -- "$2")" "$(realpath -m -- "$3")"); shift 3 ;;
    --final-set) final_options+=(--set "$2"); shift 2 ;;
    --teachers) teachers+=("$(realpath -m -- "$2")"); shift 2 ;;
    --program | --monolingual | --monolingual-source)
      set_option "$1" "$(realpath -m -- "$2")"
      shift 2
      ;;
    --output | --config | --weight | --device | --penalties) set_option "$1" "$2"; shift 2 ;;
    *)
      [[ $2 =~ ^[0-9]+$ ]] || fail "$1 $2: expected a whole number"
      set_option "$1" "$2"
      shift 2
      ;;
  esac
done
[[ ${#train[@]} == 2 && ${#dev[@]} == 2 ]] || fail "give --train SOURCE TARGET and --dev SOURCE TARGET; see --help"
for name in models rounds finals cycles jobs minutes final_minutes lines_per_second; do
  [[ ${!name} -ge 1 ]] || fail "--${name//_/-} ${!name}: it is 1 or more"
done
decimal='[0-9]+([.][0-9]+)?'
[[ $weight =~ ^$decimal$ && ! $weight =~ ^[0.]+$ ]] || fail "--weight $weight: expected a number above 0"
[[ $penalties =~ ^\ *-?$decimal(\ +-?$decimal)*\ *$ ]] ||
  fail "--penalties \"$penalties\": expected numbers with blanks between, as \"0.6 1.0 1.4\""
for file in "$config" "${train[@]}" "${dev[@]}" "${tests[@]}" "${teachers[@]}" ${monolingual:+"$monolingual"} \
  ${monolingual_source:+"$monolingual_source"}; do
  [[ -r $file ]] || fail "$file: no such file"
done

[[ -z $forward_only || -z $monolingual ]] ||
  fail "--monolingual is translated by backward models, and --forward-only has none; leave one of the two out"
[[ $output != *[[:space:]]* ]] || fail "--output $output: no blanks, please"

plain() { gzip -dcf "$1"; }    # a file that may be gzip
lines() { plain "$1" | wc -l; }
threads_each() { echo $(($1 < jobs ? jobs / $1 : 1)); }    # of so many trainings
turns() { echo $((($1 + jobs - 1) / jobs)); }    # of $1 trainings, side by side
directions() { if [[ -n $forward_only ]]; then echo forward; else echo forward backward; fi; }
count_teachers() { echo $((models * $(directions | wc -w))); }

cost() {
  local lines_each translated final_models=$((finals + ${right_to_left:+1} + 0)) first last tuning=0 translating i
  lines_each=$(($(lines "${train[0]}") * $(directions | wc -w)))
  [[ -z $monolingual ]] || lines_each=$((lines_each + $(lines "$monolingual")))
  [[ -z $monolingual_source ]] || lines_each=$((lines_each + $(lines "$monolingual_source")))
  translated=$((rounds * models * lines_each / jobs))
  # Dev and test text is also searched more widely and scored by every model.
  translated=$((translated + $(lines "${dev[0]}") * finals * ($(wc -w <<<"$penalties") + 3 * candidates / 5)))
  for ((i = 0; i < ${#tests[@]}; i += 2)); do
    translated=$((translated + $(lines "${tests[i]}") * finals * candidates / 5))
  done
  first=$((rounds * $(turns "$(count_teachers)") * minutes))
  last=$(($(turns "$final_models") * cycles * final_minutes))
  [[ $mrt_minutes == 0 ]] || tuning=$(($(turns "$finals") * mrt_minutes))
  translating=$((translated / lines_per_second / 60 + 1))
  say "$((rounds * $(count_teachers))) trainings of $minutes minutes, $jobs at a time: $first minutes"
  say "$final_models of $((cycles * final_minutes)) minutes: $last; minimum-risk training: $tuning"
  say "translating, at $lines_per_second lines a second on a core: about $translating"
  say "in all about $((first + last + tuning + translating)) minutes; everything in $output"
}

# The program; the first signal for the script goes on to it, and the script waits until it has saved.
attend() {
  local process status stopped=""
  "$program" "$@" &
  process=$!
  trap '[[ -n $stopped ]] || kill -TERM "$process" 2>/dev/null; stopped=yes' TERM INT HUP
  while true; do
    status=0
    wait "$process" || status=$?
    kill -0 "$process" 2>/dev/null || break
  done
  trap - TERM INT HUP
  [[ -z $stopped ]] || return 143    # also where the program had just ended
  return "$status"
}

# train_model NAME CONFIG OPTION...: the model $output/NAME, unless it is there and done. It takes its minutes, whatever
# max_epochs the config has.
train_model() {
  local name=$1 recipe=$2 begin=--overwrite
  [[ ! -e $output/$name.done ]] || return 0
  say "training $name"
  [[ ! -e $output/$name/last.state ]] || begin=--resume
  attend train "$recipe" $(run_options "$threads") --set training.max_epochs=0 "${options[@]}" "${@:3}" \
    --output "$output/$name" "$begin" --log-file "$output/$name.log" --quiet
  touch "$output/$name.done"
}

# try CONFIG OPTION...: prints what a training by it would begin with, or fails where that would
try() {
  attend train "$1" $(run_options 1) "${options[@]}" --set "data.train=$(pairs forward "${train[@]}")" \
    --set "data.dev=$(pairs forward "${dev[@]}")" "${@:2}" --output "$output/try" --dry-run --quiet
}

# try_recipes: a mistake in any recipe is found here, not when the models before it are trained. How a text is sampled
# changes no piece.
try_recipes() {
  local recipe tokenizer first=""
  for recipe in "${recipes[@]}"; do
    tokenizer=$(try "$recipe" | sed -n '/^tokenizer:/,/^[^ t]/{ /sampling:/!p }')
    [[ -n $forward_only ]] || ! has_two_models "$tokenizer" ||
      fail "tokenizer.model names one for the source and one for the target, and models of the other direction exchange" \
        "these; give one model for both, or --forward-only"
    [[ -z $together || ${first:=$tokenizer} == "$tokenizer" ]] ||
      fail "--together: $recipe has another tokenizer than ${recipes[0]}; give all --teachers the same, or leave --together out"
  done
  tokenize=$(try "$config" --set training.max_epochs=0 --set "training.max_minutes=$final_minutes" \
    "${final_options[@]}" --set "data.train=[$(text_of_finals)]" | bleu_tokenizer)
  [[ $tokenize != none ]] || ! looks_written "${dev[1]}" ||
    say "models will be chosen by BLEU of what blanks separate (training.validation.tokenize: none), but full stops in" \
      "${dev[1]} stand at words; for such text add --set training.validation.tokenize=13a"
}

# has_two_models SECTION: whether the tokenizer's section of a config names a model for each side
has_two_models() { grep -q '^  model: \[.*, ' <<<"$1"; }

# text_of_finals: the forms of text that the last models read, the given pairs for all
text_of_finals() {
  local given
  given=$(pairs forward "${train[@]}")
  printf %s "${given%\}}, weight: $weight}"
  [[ -z $monolingual ]] || printf ', %s' "$(pairs forward "${train[@]}" source)"
}

# bleu_tokenizer: of a config
bleu_tokenizer() { sed -n 's/^ *tokenize: *"\{0,1\}\([a-z0-9]*\).*/\1/p'; }

# looks_written FILE: whether most of its lines end in a stop that no blank separates from the word before it
looks_written() { plain "$1" | awk '/[^ ]([.!?]|。|！|？)$/ { stops++ } END { exit !(stops > NR / 2) }'; }

# once FILE COMMAND...: the command writes $output/FILE, whole or not at all, unless it is there.
once() {
  local file=$1
  shift
  [[ -e $output/$file ]] || { say "$file" && attend "$@" --output "$output/$file" --quiet; }
}
run_options() { echo --threads "$1" --device "$device"; }

# pairs DIRECTION SOURCE TARGET [BACK]: as a text of the config, as models of that direction read it. BACK, source or
# target, is the side that a model wrote of text of one language alone; where that side is read, a tag says so (Caswell et
# al. 2019).
pairs() {
  local read=$2 written=$3 read_side=source tag=""
  [[ $1 == forward ]] || read=$3 written=$2 read_side=target
  [[ ${4:-} != "$read_side" ]] || tag=", tag: <bt>"
  printf '{source: "%s", target: "%s"%s}' "$read" "$written" "$tag"
}

# The files of a round begin so. The round that runs is $round; the finals come after the last.
of_round() { [[ $1 == 1 ]] || echo "round$1."; }

# translations: one text of each model's, or one of all; their names
translations() { if [[ -n $together ]]; then echo together; else seq "$models"; fi; }

# translated DIRECTION ROUND NAME: what the models made of a round's texts
translated() {
  local file
  file=$output/$(of_round "$2")
  printf ', %s' "$(pairs "$1" "${train[0]}" "${file}forward.$3.target")"
  [[ -n $forward_only ]] || printf ', %s' "$(pairs "$1" "${file}backward.$3.source" "${train[1]}")"
  [[ -z $monolingual ]] || printf ', %s' "$(pairs "$1" "${file}monolingual.$3.source" "$monolingual" source)"
  [[ -z $monolingual_source ]] ||
    printf ', %s' "$(pairs "$1" "$monolingual_source" "${file}monolingual.$3.target" target)"
}

# all_text DIRECTION: the given pairs, and all that was translated before this round
all_text() {
  local given name before
  given=$(pairs "$1" "${train[@]}")
  [[ $round == 1 ]] || given="${given%\}}, weight: $weight}"
  printf %s "$given"
  for ((before = 1; before < round; before++)); do
    for name in $(translations); do translated "$1" "$before" "$name"; done
  done
}

# teacher DIRECTION NUMBER: a model that translates the training text
teacher() {
  train_model "$(of_round "$round")$1.$2" "${recipes[($2 - 1) % ${#recipes[@]}]}" --set "seed=$((seed + $2))" \
    --set "training.max_minutes=$minutes" --set "data.train=[$(all_text "$1")]" \
    --set "data.dev=$(pairs "$1" "${dev[@]}")"
  [[ -n $together ]] || translate "$1" "$2"
}

# translators DIRECTION TRANSLATION: the models of one, as options
translators() {
  local name=$2
  [[ $name != together ]] || name=$(seq "$models")
  for name in $name; do echo "--model $output/$(of_round "$round")$1.$name"; done
}

# translate DIRECTION TRANSLATION: that direction's side of the training text, and other text of that language, by the
# likely pieces alone
translate() {
  local text=${train[0]} other=${train[1]} alone=$monolingual_source written=target begin likely
  [[ $1 == forward ]] || text=${train[1]} other=${train[0]} alone=$monolingual written=source
  begin=$(of_round "$round")
  likely=$begin$1.$2.lexicon
  once "$likely" lexicon --model "$output/$begin$1.${2/together/1}" --source "$text" --target "$other"
  once "$begin$1.$2.$written" translate $(translators "$@") --input "$text" --shortlist "$output/$likely" --resume \
    $(run_options "$threads")
  [[ -z $alone ]] ||
    once "${begin}monolingual.$2.$written" translate $(translators "$@") --input "$alone" \
      --shortlist "$output/$likely" --resume $(run_options "$threads")
}

# teach: one round, of models and their translations
teach() {
  local steps=() direction i
  threads=$(threads_each "$(count_teachers)")
  for ((i = 1; i <= models; i++)); do
    for direction in $(directions); do steps+=("teacher $direction $i"); done
  done
  in_turn "${steps[@]}"
  [[ -n $together ]] || return 0
  threads=$(threads_each "$(directions | wc -w)")
  steps=()
  for direction in $(directions); do steps+=("translate $direction together"); done
  in_turn "${steps[@]}"
}

# setting MODEL SECTION KEY: of its config
setting() {
  awk -v section="$2:" -v key="$3:" '$0 == section { found = 1 } found && $1 == key { print $2; exit }' \
    "$output/$1/config.yaml"
}

# train_final NAME SEED OPTION...: the model of the last cycle has the name itself
train_final() {
  local cycle model rate from=()
  for ((cycle = 1; cycle <= cycles; cycle++)); do
    model=$1
    [[ $cycle == "$cycles" ]] || model=$1.cycle$cycle
    train_model "$model" "$config" "${final_options[@]}" --set "seed=$(($2 + 100 * (cycle - 1)))" \
      --set "training.max_minutes=$final_minutes" --set "data.train=[$(all_text forward)]" \
      --set "data.dev=$(pairs forward "${dev[@]}")" "${@:3}" "${from[@]}"
    [[ $cycle != 1 ]] || rate=$(setting "$model" training learning_rate | awk '{ print $1 / 2 }')
    from=(--set "training.learning_rate=$rate" --set "training.init_from=$output/$model")
  done
}

# Minimum-risk training counts translations by what search ranks them by, and is as sharp as 1 without a length penalty
# is, for 15 pieces: what it does then shows beside the likelihood (README, small corpora).
final() {
  local number=$((seed + $1 - 1)) penalty
  train_final "final.$1" "$number"
  [[ $mrt_minutes != 0 ]] || return 0
  penalty=$(setting "final.$1" decoding length_penalty)
  train_model "tuned.$1" "$config" "${final_options[@]}" --set "seed=$number" \
    --set "training.max_minutes=$mrt_minutes" --set "training.init_from=$output/final.$1" \
    --set "training.mrt={samples: 20, length_penalty: $penalty, sharpness: $(awk "BEGIN { print 15 ^ $penalty }")}" \
    --set training.r_drop=0 --set training.learning_rate=0.0001 --set training.schedule=constant \
    --set training.warmup_updates=0 --set "data.train=[$(pairs forward "${train[@]}")]" \
    --set "data.dev=$(pairs forward "${dev[@]}")"
}
right_to_left() { train_final right_to_left "$seed" --set data.reverse_target=true; }

# in_turn COMMAND...: each "FUNCTION NUMBER", $jobs at a time. Fails if one does.
in_turn() {
  local command failed=0 stopped=""
  trap 'failed=1 stopped=yes; kill -TERM $(jobs -p) 2>/dev/null' TERM INT HUP
  for command in "$@"; do
    while [[ $(jobs -rp | wc -l) -ge $jobs ]]; do wait -n || failed=1; done
    [[ $failed == 0 ]] || break
    $command &
  done
  while [[ -n $(jobs -p) ]]; do wait -n || failed=1; done
  trap - TERM INT HUP
  [[ $failed == 0 ]] && return 0
  [[ -n $stopped ]] || { say "a step failed, see above; what is done stays"; exit 1; }
  say "stopped; the same command goes on"
  exit 1
}

# stage NAME: the models of step 3 (final) or 4 (tuned), as options
stage() {
  local i
  for ((i = 1; i <= finals; i++)); do echo "--model $output/$1.$i"; done
}

# The models that translate in the end, as options.
ensemble() { if [[ $mrt_minutes == 0 ]]; then stage final; else stage "$(<"$output/stage")"; fi; }

# bleu FILE REFERENCE
bleu() {
  "$program" eval --hypothesis "$1" --reference "$2" "${measure[@]}" --json |
    sed -n 's/.*"score": *\([-0-9.e]*\).*/\1/p'
}

# decide FILE: of SCORE NAME lines the name of the first with the highest score
decide() {
  awk '!found || $1 > best { best = $1; name = $2; found = 1 } END { print name }' >"$output/$1.new"
  mv "$output/$1.new" "$output/$1"
}

# choose_stage: the file stage
choose_stage() {
  local name
  [[ $mrt_minutes != 0 && ! -e $output/stage ]] || return 0
  for name in final tuned; do
    once "dev.$name" translate $(stage "$name") --input "${dev[0]}" $(run_options "$jobs")
    echo "$(bleu "$output/dev.$name" "${dev[1]}") $name"
  done >"$output/stage.scores"
  decide stage <"$output/stage.scores"
}

# choose_penalty: the file length_penalty
choose_penalty() {
  local penalty score
  [[ ! -e $output/length_penalty ]] || return 0
  for penalty in $penalties; do
    once "dev.beam.$penalty" translate $(ensemble) --input "${dev[0]}" --length-penalty "$penalty" \
      $(run_options "$jobs")
    score=$(bleu "$output/dev.beam.$penalty" "${dev[1]}")
    echo "$score $penalty"
  done >"$output/length_penalty.scores"
  decide length_penalty <"$output/length_penalty.scores"
  mention_edge "$(<"$output/length_penalty")"
}

# mention_edge PENALTY: the one that won, where what lies beyond it was not tried
mention_edge() {
  local sorted
  mapfile -t sorted < <(printf '%s\n' $penalties | sort -gu)
  [[ ${#sorted[@]} -gt 1 ]] || return 0
  [[ $1 != "${sorted[-1]}" ]] || say "length penalty $1 is the highest of --penalties; higher ones may be better"
  [[ $1 != "${sorted[0]}" ]] || say "length penalty $1 is the lowest of --penalties; lower ones may be better"
}

# search NAME FILE OPTION...: the ensemble's $output/FILE of the source of NAME
search() {
  once "$2" translate $(ensemble) --input "$output/$1.source" --length-penalty "$(<"$output/length_penalty")" \
    $(run_options "$jobs") "${@:3}"
}

# score_list NAME FEATURE MODEL SIDES: each line of the n-best list by one more model, whose source is the source
# ("source target") or the translation ("target source")
score_list() {
  local read write
  read -r read write <<<"$4"
  once "$1.$2" score --model "$output/$3" --source "$output/$1.list.$read" --target "$output/$1.list.$write" \
    $(run_options "$jobs")
}

# The features of a list, as options; the files are made first. The models of the last round judge it.
features() {
  local i models_of
  models_of=$(of_round "$rounds")
  for ((i = 1; i <= models; i++)); do
    score_list "$1" "forward$i" "${models_of}forward.$i" "source target"
    echo "--feature forward$i=$output/$1.forward$i"
    [[ -z $forward_only ]] || continue
    score_list "$1" "backward$i" "${models_of}backward.$i" "target source"
    echo "--feature backward$i=$output/$1.backward$i"
  done
  [[ -n $right_to_left ]] || return 0
  score_list "$1" right_to_left right_to_left "source target"
  echo "--feature right_to_left=$output/$1.right_to_left"
}

# n_best NAME: the list, and its sources and translations line by line
n_best() {
  search "$1" "$1.list" --beam "$candidates" --n-best "$candidates"
  awk -F ' [|][|][|] ' 'NR == FNR { source[FNR - 1] = $0; next } { print source[$1] }' "$output/$1.source" \
    "$output/$1.list" >"$output/$1.list.source"
  sed 's/^[0-9]* ||| //; s/ ||| [^|]*$//' "$output/$1.list" >"$output/$1.list.target"
}

# translate_by WAY NAME: $output/NAME.WAY
translate_by() {
  case $1 in
    beam) search "$2" "$2.beam" ;;
    mbr-*) search "$2" "$2.$1" --beam "$candidates" --mbr "${1#mbr-}" ;;
    reranked)
      n_best "$2"
      features "$2" >"$output/$2.features"
      once weights.json rerank --n-best "$output/$2.list" $(<"$output/$2.features") \
        --tune "${dev[1]}" "${measure[@]}"
      once "$2.reranked" rerank --n-best "$output/$2.list" $(<"$output/$2.features") --weights "$output/weights.json"
      ;;
  esac
}

# choose_way: the file way
choose_way() {
  local way score
  [[ ! -e $output/way ]] || return 0
  for way in beam mbr-chrf mbr-bleu reranked; do
    translate_by "$way" dev
    score=$(bleu "$output/dev.$way" "${dev[1]}")
    echo "$score $way"
  done >"$output/way.scores"
  awk '{ print ($2 == "reranked" ? $1 - 0.3 : $1), $2 }' "$output/way.scores" | decide way
}

results() {
  local i name way
  way=$(<"$output/way")
  [[ $mrt_minutes == 0 ]] || { echo "models $(<"$output/stage"), of these on the dev text:" && cat "$output/stage.scores"; }
  echo "length penalty $(<"$output/length_penalty"); $way, of these on the dev text:"
  cat "$output/way.scores"
  for ((i = 0; i < ${#tests[@]}; i += 2)); do
    name=test.$((i / 2 + 1))
    plain "${tests[i]}" >"$output/$name.source"
    translate_by "$way" "$name"
    echo "${tests[i]}: $output/$name.$way"
    "$program" eval --hypothesis "$output/$name.$way" --reference "${tests[i + 1]}" --metrics bleu,chrf \
      "${measure[@]}"
  done
}

# What decides the result must be the same as when the run began. A run that begins tries its recipes first.
check_settings() {
  local settings more_rounds="" more_cycles=""
  [[ $rounds == 1 ]] || more_rounds="$rounds rounds"
  [[ $cycles == 1 ]] || more_cycles="$cycles cycles"
  settings=$(printf '%s\n' "${train[@]}" "${dev[@]}" "${tests[@]}" "$monolingual" "$(realpath -- "$config")" "$models" \
    "$finals" "$right_to_left" "$minutes" "$final_minutes" "$mrt_minutes" "$weight" "$seed" "$penalties" \
    ${together:+together} ${forward_only:+"forward only"} ${teachers:+"teachers ${teachers[*]}"} \
    ${monolingual_source:+"source text $monolingual_source"} ${more_rounds:+"$more_rounds"} \
    ${final_options:+"finals ${final_options[*]}"} ${more_cycles:+"$more_cycles"} \
    "${options[@]}")
  if [[ -e $output/settings && $(<"$output/settings") != "$settings" ]]; then
    diff <(echo "$settings") "$output/settings" >&2 || true
    fail "$output was begun with other settings (above: >); give these, or another --output"
  fi
  [[ -e $output/settings ]] || try_recipes
  echo "$settings" >"$output/settings"
}

build_program() {
  (cd "$project" && scripts/install_packages.sh && scripts/build.sh -DATTEND_BUILD_TESTS=OFF)
  program=$project/build/src/cli/attend
}

learn() {
  local steps=() i
  threads=$(threads_each $((finals + ${right_to_left:+1} + 0)))
  for ((i = 1; i <= finals; i++)); do steps+=("final $i"); done
  in_turn "${steps[@]}" ${right_to_left:+right_to_left}
}

choose() {
  plain "${dev[0]}" >"$output/dev.source"
  choose_stage
  choose_penalty
  choose_way
}

main() {
  cost
  [[ -z $dry_run ]] || return 0
  [[ -n $program ]] || build_program
  mkdir -p "$output"
  output=$(realpath -- "$output")
  recipes=("${teachers[@]:-$config}")
  check_settings
  for ((round = 1; round <= rounds; round++)); do teach; done
  learn
  # As validation in training has it.
  measure=(--tokenize "$(bleu_tokenizer <"$output/final.1/config.yaml")")
  ! grep -q '^ *lowercase: true' "$output/final.1/config.yaml" || measure+=(--lowercase)
  choose
  if [[ ! -e $output/results.txt ]]; then
    results >"$output/results.new"
    mv "$output/results.new" "$output/results.txt"
  fi
  cat "$output/results.txt"
  say "done: translations, models and scores are in $output"
}

# In one line, so that whoever edits this file in the night changes nothing that runs.
main; exit
