#!/usr/bin/env bash
# Trains for the best translations from a small corpus in one night, by data diversification (Nguyen et al. 2020):
#   1. Trains --models models in each direction.
#   2. Each model translates its side of the training text, so that every sentence gets more translations and more
#      sources. Backward models also translate --monolingual FILE, text in the target language (back-translation, marked
#      with a tag); forward models translate --monolingual-source FILE, text in the source language (self-training).
#      With --together, the models of a direction translate as one ensemble (ensemble distillation, Freitag et al. 2017).
#      With --forward-only there are no backward models, at half the cost. With --rounds 2, steps 1 and 2 run twice, and
#      the second models also learn from the first translations.
#   3. Trains --finals models (several make an ensemble) on all this text, with the given pairs repeated --weight times.
#      --right-to-left adds one model that writes from right to left. --cycles 2 trains each of them again for the same
#      time, from where it ended, at half the learning rate.
#   4. With --mrt-minutes, fine-tunes the final models on the metric (minimum-risk training) with the given pairs, and
#      keeps the result if it is better on the dev set.
#   5. Chooses on the dev set: first the length penalty; then plain beam search, minimum Bayes risk (chrF or BLEU), or
#      n-best lists reranked by the scores of all these models. The reranking weights are tuned on the dev set, so
#      reranking must win by 0.3 BLEU.
#   6. Translates each --test SOURCE TARGET (may be repeated) once, in the chosen way.
#   scripts/night.sh --train SOURCE TARGET --dev SOURCE TARGET [--test SOURCE TARGET]... [--output DIR] [--config FILE]
#                    [--teachers FILE]... [--models 2] [--together] [--forward-only] [--rounds 1] [--finals 1]
#                    [--right-to-left] [--minutes 40] [--final-minutes 180] [--cycles 1] [--mrt-minutes 0] [--weight 2]
#                    [--monolingual FILE] [--monolingual-source FILE] [--seed 1] [--jobs 2] [--device auto]
#                    [--final-set KEY=VALUE]... [--lines-per-second 100] [--penalties "0.6 0.8 1.0 1.2 1.4 1.6"]
#                    [--program FILE] [--dry-run] [TRAIN_OPTION...]
# --teachers: the config for step 1, if it differs from --config; models cycle through several. --final-set: a setting of
# the models of steps 3 and 4 only. A model takes --minutes in step 1, and --final-minutes per cycle in step 3.
# TRAIN_OPTIONs go to every attend train. If the text is not tokenised, add --set training.validation.tokenize=13a (zh or
# char for languages without spaces): models are chosen by that BLEU. --jobs trainings run side by side with one thread
# each, or with more threads if fewer are left. The cost is printed first (with --dry-run, nothing else is done);
# --lines-per-second is the translation speed of one core. Finished steps are skipped and interrupted ones resume. Builds
# first unless --program is given. Everything is in --output (runs/night): the models are final.N, or tuned.N if step 4
# improved them; the scores are in results.txt.
# shellcheck disable=SC2046,SC2086    # functions print options as words; --output has no blanks
# shellcheck disable=SC2317           # in_turn calls functions by name
set -euo pipefail
export LC_ALL=C  # so that awk and sort read 0.5 as a number in every locale
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
# set_option --NAME VALUE: sets the variable NAME.
set_option() {
  local name=${1#--}
  printf -v "${name//-/_}" %s "$2"
}

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,32s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
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
  [[ ${!name} -ge 1 ]] || fail "--${name//_/-} ${!name}: expected 1 or more"
done
decimal='[0-9]+([.][0-9]+)?'
[[ $weight =~ ^$decimal$ && ! $weight =~ ^[0.]+$ ]] || fail "--weight $weight: expected a number above 0"
[[ $penalties =~ ^\ *-?$decimal(\ +-?$decimal)*\ *$ ]] ||
  fail "--penalties \"$penalties\": expected numbers with blanks between them (example: \"0.6 1.0 1.4\")"
for file in "$config" "${train[@]}" "${dev[@]}" "${tests[@]}" "${teachers[@]}" ${monolingual:+"$monolingual"} \
  ${monolingual_source:+"$monolingual_source"}; do
  [[ -r $file ]] || fail "$file: no such file, or not readable"
done

[[ -z $forward_only || -z $monolingual ]] ||
  fail "--monolingual needs backward models, and --forward-only has none; give only one of the two"
[[ $output != *[[:space:]]* ]] || fail "--output $output: the path may not contain blanks"

plain() { gzip -dcf "$1"; }    # the text of a file that may be gzip
lines() { plain "$1" | wc -l; }
threads_each() { echo $(($1 < jobs ? jobs / $1 : 1)); }    # threads for each of $1 trainings
turns() { echo $((($1 + jobs - 1) / jobs)); }    # batches of --jobs for $1 trainings
directions() { if [[ -n $forward_only ]]; then echo forward; else echo forward backward; fi; }
count_teachers() { echo $((models * $(directions | wc -w))); }

cost() {
  local lines_each translated final_models=$((finals + ${right_to_left:+1} + 0)) first last tuning=0 translating i
  lines_each=$(($(lines "${train[0]}") * $(directions | wc -w)))
  [[ -z $monolingual ]] || lines_each=$((lines_each + $(lines "$monolingual")))
  [[ -z $monolingual_source ]] || lines_each=$((lines_each + $(lines "$monolingual_source")))
  translated=$((rounds * models * lines_each / jobs))
  # The dev and test sets are also searched with a wider beam and scored by every model.
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
  say "translation at $lines_per_second lines per second and core: about $translating"
  say "in all about $((first + last + tuning + translating)) minutes; everything in $output"
}

# Runs the program. Passes the first signal on to it and waits until it has saved.
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
  [[ -z $stopped ]] || return 143    # even if the program had just ended
  return "$status"
}

# train_model NAME CONFIG OPTION...: trains or resumes the model $output/NAME unless it is done. Only the time limits it:
# max_epochs of the config is ignored.
train_model() {
  local name=$1 recipe=$2 begin=--overwrite
  [[ ! -e $output/$name.done ]] || return 0
  say "training $name"
  [[ ! -e $output/$name/last.state ]] || begin=--resume
  attend train "$recipe" $(run_options "$threads") --set training.max_epochs=0 "${options[@]}" "${@:3}" \
    --output "$output/$name" "$begin" --log-file "$output/$name.log" --quiet
  touch "$output/$name.done"
}

# try CONFIG OPTION...: prints the settings that a training would start with, or fails where the training would.
try() {
  local messages code=0
  messages=$(attend train "$1" $(run_options 1) "${options[@]}" --set "data.train=$(pairs forward "${train[@]}")" \
    --set "data.dev=$(pairs forward "${dev[@]}")" "${@:2}" --output "$output/try" --dry-run --verbose 2>&1 >&3) || code=$?
  [[ $code == 0 ]] || echo "$messages" >&2
  return "$code"
} 3>&1

# Checks all recipes now, so that a mistake in one does not show hours later. The tokenizers are compared without the
# sampling keys, which change no piece.
try_recipes() {
  local recipe tokenizer first=""
  for recipe in "${recipes[@]}"; do
    tokenizer=$(try "$recipe" | sed -n '/^tokenizer:/,/^[^ t]/{ /sampling:/!p }')
    [[ -n $forward_only ]] || ! has_two_models "$tokenizer" ||
      fail "tokenizer.model names one model for the source and one for the target, but backward models swap the two sides; give" \
        "one model for both, or --forward-only"
    [[ -z $together || ${first:=$tokenizer} == "$tokenizer" ]] ||
      fail "--together: $recipe has another tokenizer than ${recipes[0]}; use one tokenizer for all --teachers, or omit --together"
  done
  tokenize=$(try "$config" --set training.max_epochs=0 --set "training.max_minutes=$final_minutes" \
    "${final_options[@]}" --set "data.train=[$(text_of_finals)]" | bleu_tokenizer)
  [[ $tokenize != none ]] || ! looks_written "${dev[1]}" ||
    say "models are chosen by BLEU of blank-separated words (training.validation.tokenize: none), but ${dev[1]} does not" \
      "look tokenised; if so, add --set training.validation.tokenize=13a"
}

# has_two_models SECTION: true if the tokenizer section of a config names one model per side.
has_two_models() { grep -q '^  model: \[.*, ' <<<"$1"; }

# A data.train for try_recipes with the tag and weight of the final models; the given pairs stand for all text.
text_of_finals() {
  local given
  given=$(pairs forward "${train[@]}")
  printf %s "${given%\}}, weight: $weight}"
  [[ -z $monolingual ]] || printf ', %s' "$(pairs forward "${train[@]}" source)"
}

# Prints training.validation.tokenize of the config on standard input.
bleu_tokenizer() { sed -n 's/^ *tokenize: *"\{0,1\}\([a-z0-9]*\).*/\1/p'; }

# looks_written FILE: true if most lines end in a full stop with no blank before it.
looks_written() { plain "$1" | awk '/[^ ]([.!?]|。|！|？)$/ { stops++ } END { exit !(stops > NR / 2) }'; }

# once FILE COMMAND...: runs the command, which writes $output/FILE completely or not at all, unless the file exists.
once() {
  local file=$1
  shift
  [[ -e $output/$file ]] || { say "$file" && attend "$@" --output "$output/$file" --quiet; }
}
run_options() { echo --threads "$1" --device "$device"; }

# pairs DIRECTION SOURCE TARGET [BACK]: an entry of data.train for models of that direction. BACK (source or target) is the
# side that a model translated from monolingual text; if it is the input side, the entry gets a tag (Caswell et al. 2019).
pairs() {
  local read=$2 written=$3 read_side=source tag=""
  [[ $1 == forward ]] || read=$3 written=$2 read_side=target
  [[ ${4:-} != "$read_side" ]] || tag=", tag: <bt>"
  printf '{source: "%s", target: "%s"%s}' "$read" "$written" "$tag"
}

# of_round ROUND: the prefix of the files of a round. $round is the current one; the final models come after the last.
of_round() { [[ $1 == 1 ]] || echo "round$1."; }

# The names of the translations: one per model, or one for all of them.
translations() { if [[ -n $together ]]; then echo together; else seq "$models"; fi; }

# translated DIRECTION ROUND NAME: the entries of data.train for the translations of a round.
translated() {
  local file
  file=$output/$(of_round "$2")
  printf ', %s' "$(pairs "$1" "${train[0]}" "${file}forward.$3.target")"
  [[ -n $forward_only ]] || printf ', %s' "$(pairs "$1" "${file}backward.$3.source" "${train[1]}")"
  [[ -z $monolingual ]] || printf ', %s' "$(pairs "$1" "${file}monolingual.$3.source" "$monolingual" source)"
  [[ -z $monolingual_source ]] ||
    printf ', %s' "$(pairs "$1" "$monolingual_source" "${file}monolingual.$3.target" target)"
}

# all_text DIRECTION: entries of data.train for the given pairs and the translations of all earlier rounds.
all_text() {
  local given name before
  given=$(pairs "$1" "${train[@]}")
  [[ $round == 1 ]] || given="${given%\}}, weight: $weight}"
  printf %s "$given"
  for ((before = 1; before < round; before++)); do
    for name in $(translations); do translated "$1" "$before" "$name"; done
  done
}

# teacher DIRECTION NUMBER: trains a model of step 1 and, without --together, translates with it.
teacher() {
  train_model "$(of_round "$round")$1.$2" "${recipes[($2 - 1) % ${#recipes[@]}]}" --set "seed=$((seed + $2))" \
    --set "training.max_minutes=$minutes" --set "data.train=[$(all_text "$1")]" \
    --set "data.dev=$(pairs "$1" "${dev[@]}")"
  [[ -n $together ]] || translate "$1" "$2"
}

# translators DIRECTION TRANSLATION: --model options for the models that write this translation.
translators() {
  local name=$2
  [[ $name != together ]] || name=$(seq "$models")
  for name in $name; do echo "--model $output/$(of_round "$round")$1.$name"; done
}

# translate DIRECTION TRANSLATION: translates the input side of the training text, and monolingual text in that language,
# with the output restricted to likely pieces.
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

# Trains the models of one round and translates with them.
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

# setting MODEL SECTION KEY: the value of SECTION.KEY in the config of a model.
setting() {
  awk -v section="$2:" -v key="$3:" '$0 == section { found = 1 } found && $1 == key { print $2; exit }' \
    "$output/$1/config.yaml"
}

# train_final NAME SEED OPTION...: trains all cycles. The model of the last one is NAME, the others NAME.cycleN.
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

# Minimum-risk training weights translations by the score that search ranks them by. Its sharpness is 15^penalty. For
# 15 pieces, that equals sharpness 1 without a length penalty (training.mrt.sharpness in `attend config`).
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

# in_turn COMMAND...: runs commands of the form "FUNCTION ARGUMENT...", $jobs at a time. Exits if one fails.
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
  [[ -n $stopped ]] || { say "a step failed, see above; finished steps are kept"; exit 1; }
  say "stopped; run the same command to resume"
  exit 1
}

# stage NAME: --model options for the models of step 3 (final) or 4 (tuned).
stage() {
  local i
  for ((i = 1; i <= finals; i++)); do echo "--model $output/$1.$i"; done
}

# --model options for the models that translate the dev and test sets.
ensemble() { if [[ $mrt_minutes == 0 ]]; then stage final; else stage "$(<"$output/stage")"; fi; }

# bleu FILE REFERENCE: prints the BLEU score.
bleu() {
  "$program" eval --hypothesis "$1" --reference "$2" "${measure[@]}" --json |
    sed -n 's/.*"score": *\([-0-9.e]*\).*/\1/p'
}

# decide FILE: reads lines "SCORE NAME" and writes the first name with the highest score to $output/FILE.
decide() {
  awk '!found || $1 > best { best = $1; name = $2; found = 1 } END { print name }' >"$output/$1.new"
  mv "$output/$1.new" "$output/$1"
}

# Writes $output/stage: final or tuned.
choose_stage() {
  local name
  [[ $mrt_minutes != 0 && ! -e $output/stage ]] || return 0
  for name in final tuned; do
    once "dev.$name" translate $(stage "$name") --input "${dev[0]}" $(run_options "$jobs")
    echo "$(bleu "$output/dev.$name" "${dev[1]}") $name"
  done >"$output/stage.scores"
  decide stage <"$output/stage.scores"
}

# Writes $output/length_penalty.
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

# mention_edge PENALTY: says so if the best penalty is the lowest or highest that was tried.
mention_edge() {
  local sorted
  mapfile -t sorted < <(printf '%s\n' $penalties | sort -gu)
  [[ ${#sorted[@]} -gt 1 ]] || return 0
  [[ $1 != "${sorted[-1]}" ]] || say "length penalty $1 is the highest of --penalties; higher ones may be better"
  [[ $1 != "${sorted[0]}" ]] || say "length penalty $1 is the lowest of --penalties; lower ones may be better"
}

# search NAME FILE OPTION...: translates $output/NAME.source with the ensemble to $output/FILE.
search() {
  once "$2" translate $(ensemble) --input "$output/$1.source" --length-penalty "$(<"$output/length_penalty")" \
    $(run_options "$jobs") "${@:3}"
}

# score_list NAME FEATURE MODEL SIDES: scores each line of the n-best list with one more model. SIDES is "source target"
# for a forward model and "target source" for a backward model.
score_list() {
  local read write
  read -r read write <<<"$4"
  once "$1.$2" score --model "$output/$3" --source "$output/$1.list.$read" --target "$output/$1.list.$write" \
    $(run_options "$jobs")
}

# features NAME: writes the feature files of an n-best list, with the models of the last round, and prints them as options.
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

# n_best NAME: writes $output/NAME.list, and NAME.list.source and NAME.list.target with one line per entry of the list.
n_best() {
  search "$1" "$1.list" --beam "$candidates" --n-best "$candidates"
  awk -F ' [|][|][|] ' 'NR == FNR { source[FNR - 1] = $0; next } { print source[$1] }' "$output/$1.source" \
    "$output/$1.list" >"$output/$1.list.source"
  sed 's/^[0-9]* ||| //; s/ ||| [^|]*$//' "$output/$1.list" >"$output/$1.list.target"
}

# translate_by WAY NAME: writes $output/NAME.WAY.
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

# Writes $output/way: beam, mbr-chrf, mbr-bleu or reranked.
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
  [[ $mrt_minutes == 0 ]] || { echo "models $(<"$output/stage"), of these on the dev set:" && cat "$output/stage.scores"; }
  echo "length penalty $(<"$output/length_penalty"); $way, of these on the dev set:"
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

# Refuses to resume a run with settings that would change its result. A new run checks its recipes first.
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
    fail "$output was begun with other settings (lines with > above); use those, or another --output"
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
  # BLEU as in validation during training.
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

# One line, so that bash has read it all and editing this file does not disturb a run.
main; exit
