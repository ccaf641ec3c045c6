#!/usr/bin/env bash
# Runs the program as a user does. Usage, in the root of the repository: program_test.sh ATTEND
set -euo pipefail

attend=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/attend_e2e.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0

fail() {
  printf 'FAILED: %s\n' "$1" >&2
  [[ ! -s $work/err ]] || tail -n 20 "$work/err" >&2
  printf '%d passed, 1 failed\n' "$passed"
  exit 1
}

# expect CODE WHAT COMMAND...: runs the command with its output in $work/out and $work/err.
expect() {
  local code=$1 what=$2 status=0
  shift 2
  "$@" >"$work/out" 2>"$work/err" || status=$?
  [[ $status -eq $code ]] || fail "$what: exit code $status, expected $code"
  passed=$((passed + 1))
}

# says TEXT: fails unless the last command printed TEXT on standard error.
says() {
  grep -qF -- "$1" "$work/err" || fail "standard error does not contain: $1"
  passed=$((passed + 1))
}

same() {
  cmp -s "$1" "$2" || fail "$3"
  passed=$((passed + 1))
}

tiny=(--threads 1 --set model.embedding=16 --set model.encoder.hidden=16 --set model.decoder.hidden=16
  --set tokenizer.vocabulary=300 --set training.max_epochs=0 --set training.max_minutes=0
  --set training.validation.max_sentences=20 --set training.log_every=1 --set training.patience=0
  --set training.batch.size=16)
train=("$attend" train configs/quickstart.yaml "${tiny[@]}")
head -n 20 data/quickstart/test.en >"$work/source"
head -n 20 data/quickstart/test.de >"$work/target"
head -n 20 data/quickstart/test.gold >"$work/gold"

# All commands.
model=$work/model
expect 0 "train" "${train[@]}" --output "$model" --set training.max_updates=6
expect 0 "translate a gzip file" "$attend" translate --model "$model" --threads 1 --input <(gzip -c "$work/source")
[[ $(wc -l <"$work/out") -eq 20 ]] || fail "translate: 20 lines in, $(wc -l <"$work/out") out"
cp "$work/out" "$work/hypothesis"
expect 0 "eval" "$attend" eval --hypothesis "$work/hypothesis" --reference "$work/target"
expect 0 "score" "$attend" score --model "$model" --threads 1 --source "$work/source" --target "$work/target"
expect 0 "align" "$attend" align --model "$model" --threads 1 --source "$work/source" --target "$work/target" \
  --gold "$work/gold" --heatmaps "$work/pictures" --heatmap-format png
[[ $(find "$work/pictures" -name '*.png' | wc -l) -eq 20 ]] || fail "align: expected one picture per pair"
expect 0 "inspect" "$attend" inspect "$model"

# A stopped and resumed run equals an uninterrupted one.
whole=$work/whole stopped=$work/stopped
expect 0 "whole run" "${train[@]}" --output "$whole" --set training.max_updates=150
"${train[@]}" --output "$stopped" --set training.max_updates=150 >"$work/out" 2>"$work/err" &
pid=$!
until grep -qs '"update":20' "$stopped/train.jsonl"; do
  kill -0 "$pid" 2>"$work/gone" || fail "the run ended before it was stopped"
  sleep 0.05
done
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[[ $status -eq 143 ]] || fail "SIGTERM: exit code $status, expected 143"
says "to resume: attend train configs/quickstart.yaml"
says "--resume"
expect 0 "resume" "${train[@]}" --output "$stopped" --resume --set training.max_updates=150
same "$whole/last.safetensors" "$stopped/last.safetensors" "the weights of the resumed and the uninterrupted run differ"
for run in "$whole" "$stopped"; do
  python3 -c 'import json, sys
for line in sys.stdin:
    record = json.loads(line); record.pop("timing", None); print(json.dumps(record))' \
    <"$run/train.jsonl" >"$run/history"
done
same "$whole/history" "$stopped/history" "the histories of the resumed and the uninterrupted run differ"

# A second signal ends the run without saving. env restores SIGINT, which bash ignores in background jobs.
env --default-signal=INT "${train[@]}" --output "$work/twice" --set training.max_updates=100000 >"$work/out" 2>"$work/err" &
pid=$!
until grep -qs '"update":2' "$work/twice/train.jsonl"; do
  kill -0 "$pid" 2>"$work/gone" || fail "the run ended before it was stopped twice"
  sleep 0.05
done
kill -INT "$pid"
kill -INT "$pid" 2>"$work/gone" || true
status=0
wait "$pid" || status=$?
[[ $status -eq 130 ]] || fail "two signals: exit code $status, expected 130"
expect 0 "resume after two signals" "${train[@]}" --output "$work/twice" --resume --set training.max_updates=30

# Write errors and damaged files.
# shellcheck disable=SC2016
expect 3 "a file beyond the limit" bash -c 'ulimit -f 100; exec "$@"' _ "${train[@]}" --output "$work/full" \
  --set training.max_updates=6
says "cannot write the file"
damaged=$work/damaged
cp -r "$model" "$damaged"
weights=$(wc -c <"$model/best.safetensors")
for damage in "head -c 1000" "head -c $((weights - 1))" "tr a b" "sed s/attend_format/another_format/" "gzip"; do
  $damage <"$model/best.safetensors" >"$damaged/best.safetensors"
  expect 3 "translate with weights damaged by $damage" "$attend" translate --model "$damaged" --input "$work/source"
  says "best.safetensors"
done

# Too little address space for OpenBLAS, which would retry forever before main(). 700 MB are enough to load
# the libraries, but not for its buffers. Skipped with sanitizers, which need far more address space, and with another BLAS.
if ! grep -q __asan_init "$attend" && grep -q libopenblas <<<"$(ldd "$attend")"; then
  # shellcheck disable=SC2016
  expect 1 "too little address space" bash -c 'ulimit -v 700000; exec timeout 60 "$@"' _ "$attend" --version
  says "no room for the buffers of OpenBLAS"
fi

# Pipes and devices.
for _ in $(seq 50); do cat "$work/source"; done >"$work/many"
set +o pipefail
"$attend" translate --model "$model" --threads 1 --quiet --beam 1 <"$work/many" 2>"$work/err" | head -n 1 >"$work/out"
code=${PIPESTATUS[0]}
set -o pipefail
[[ $code -eq 0 ]] || fail "a closed pipe: exit code $code, expected 0"
expect 3 "a full device" sh -c "'$attend' translate --model '$model' --threads 1 <'$work/source' >/dev/full"
says "standard output: cannot write: No space left on device"
mkfifo "$work/pipe"
cat "$work/source" >"$work/pipe" &
expect 0 "a pipe as input" "$attend" translate --model "$model" --threads 1 --input "$work/pipe"
same "$work/out" "$work/hypothesis" "the translations of a pipe and a file differ"
expect 143 "a signal while a pipe has no writer" timeout --preserve-status -s TERM 2 \
  "$attend" translate --model "$model" --threads 1 --input "$work/pipe"
expect 3 "a folder as standard input" sh -c "'$attend' translate --model '$model' --threads 1 <'$work'"
says "Is a directory"
# If standard output is closed, no file may get its descriptor and then the translations.
expect 3 "a closed standard output" sh -c \
  "'$attend' translate --model '$model' --threads 1 --log-file '$work/log' <'$work/source' >&-"
says "standard output: cannot write: Bad file descriptor"

# User errors.
expect 2 "an unknown key" "${train[@]}" --output "$work/none" --set training.max_updates=6 --set model.encoder.hiden=3
says 'did you mean "hidden"'
expect 2 "a folder in the way" "${train[@]}" --output "$model" --set training.max_updates=6
says "--overwrite"
expect 3 "a missing model" "$attend" translate --model "$work/modle" --input "$work/source"
says 'did you mean "model"'
expect 3 "unequal files" "$attend" score --model "$model" --source "$work/many" --target "$work/target"
says "1000"
printf 'ok\n\xff\xfe\n' >"$work/bytes"
expect 0 "ill-formed bytes" "$attend" translate --model "$model" --threads 1 --input "$work/bytes"
says "line 2"
[[ $(wc -l <"$work/out") -eq 2 ]] || fail "ill-formed bytes: 2 lines in, $(wc -l <"$work/out") out"

printf '%d passed, 0 failed\n' "$passed"
