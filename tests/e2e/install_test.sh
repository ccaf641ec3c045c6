#!/usr/bin/env bash
# Installs the build folder into a temporary folder, moves the tree, and uses it there: install_test.sh BUILD
set -euo pipefail

build=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/attend_install.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0

fail() {
  printf 'FAILED: %s\n' "$1" >&2
  [[ ! -s $work/err ]] || tail -n 20 "$work/err" >&2
  exit 1
}

trap 'fail "line $LINENO"' ERR

# expect CODE WHAT COMMAND...: runs the command with its output in $work/out and $work/err.
expect() {
  local code=$1 what=$2 status=0
  shift 2
  "$@" >"$work/out" 2>"$work/err" || status=$?
  [[ $status -eq $code ]] || fail "$what: exit code $status, expected $code"
  passed=$((passed + 1))
}

expect 0 "cmake --install" cmake --install "$build" --prefix "$work/first" --strip
root="$work/moved tree"
mv "$work/first" "$root"
cd "$work"
attend=$root/bin/attend

# Symptom: a copied program loaded its module from the build folder.
named=$(grep -rlF -e "$build/" -e "$work/first" "$root" || true)
[[ -z $named ]] || fail "these files name the build folder: $named"
passed=$((passed + 1))

expect 0 "train on the installed corpus" "$attend" train "$root/share/attend/configs/quickstart.yaml" --threads 1 \
  --output model --set model.embedding=16 --set model.encoder.hidden=16 --set model.decoder.hidden=16 \
  --set tokenizer.vocabulary=300 --set training.max_updates=2 --set training.validation.max_sentences=20
echo 'The dog sleeps .' >line
expect 0 "translate" "$attend" translate --model model --input line --threads 1
[[ $(wc -l <out) -eq 1 ]] || fail "translate: expected one line"

# Manual pages: one for the program and for each command, without objections.
pages=$root/share/man/man1
for command in "" $("$attend" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
  page=$pages/attend${command:+-$command}.1.gz
  [[ -f $page ]] || fail "no manual page $page"
  if command -v man >/dev/null; then
    expect 0 "man $page" env LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -l "$page"
    [[ ! -s err ]] || fail "man $page"
  fi
  if command -v mandoc >/dev/null; then
    expect 0 "mandoc $page" bash -c "gzip -dc '$page' | mandoc -T lint -W warning"
  fi
done
[[ $(find "$pages" -name '*.1.gz' | wc -l) -ge 14 ]] || fail "too few manual pages"

# completes EXPECTED WORD...: the last word is completed by bash to exactly the expected words, sorted.
completes() {
  local expected=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _attend
  local got
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' ')
  [[ $got == "$expected" ]] || fail "completion of $*: \"$got\", expected \"$expected\""
  passed=$((passed + 1))
}
# shellcheck source=/dev/null
source "$root/share/bash-completion/completions/attend"
mkdir folder
completes "train translate" attend tra
completes "--output --overwrite" attend train --o
completes "pharaoh" attend align --format p
completes "piece word" attend align --level ''
completes "word" attend align --level = w
completes "piece word" attend align --level =
completes "training.optimizer=" attend train x.yaml --set training.opt
completes "adam adamw" attend train x.yaml --set training.optimizer = ad
completes "folder" attend translate --model fo
completes "line" attend eval --hypothesis x li
completes "line" attend train li
completes "folder" attend inspect f
completes "line" attend rerank --feature new = li
completes "" attend train --ranks ''
completes "bash" attend completion b
completes "score serve" attend help s
completes "folder" attend train x.yaml --verbose --output fo
completes "" attend train =

if command -v zsh >/dev/null; then
  expect 0 "the zsh completion" zsh -n "$root/share/zsh/site-functions/_attend"
fi
if command -v fish >/dev/null; then
  expect 0 "fish" env HOME="$work" fish -c "
    source '$root/share/fish/vendor_completions.d/attend.fish'
    complete -C 'attend align --format '
    complete -C 'attend train x.yaml --set training.optimizer=ad'
    complete -C 'attend translate --mod'"
  for word in jsonl pharaoh training.optimizer=adamw --model; do
    cut -f 1 out | grep -qx -- "$word" || fail "fish does not offer $word"
  done
fi

# A missing part is named with the places where it was expected.
rm "$root/lib/attend/attend_sentencepiece.so"
expect 3 "translate without the module" "$attend" translate --model model --input line
grep -qF "attend_sentencepiece.so, a part of attend, is missing; expected one of" err || fail "the message"
grep -qF "$root/lib/attend/attend_sentencepiece.so" err || fail "the message names no place"

printf '%d passed, 0 failed\n' "$passed"
