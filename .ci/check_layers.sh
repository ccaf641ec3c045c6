#!/usr/bin/env bash
# Checks the #include lines of src/ against the order of its layers.
#   .ci/check_layers.sh [--self-test]
# A folder may include itself and the folders before it in `layers`, always by the path from src/. No file includes
# the whole of LibTorch, and the folders in `torch_free` include nothing of it. The linker finds a wrong use of a
# function; this finds headers too. Where the rooms (sub-folders) of a folder have an order, a room may include itself
# and the rooms before it in `rooms`; files beside the rooms may include all of them, and no room includes those.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

layers=(core config text metrics align draw data kernels runtime distributed nn model storage decode train app server cli)
declare -A rooms=(
  [kernels]="cpu product layer cells attention output loop"
  [app]="config model attention translate align evaluate run"
  [server]="http search nearest runs page api"
)
torch_free=(core config text metrics align draw kernels)

# "file:line:header" of every #include below the folder $1; quotes and angle brackets stay on.
includes() {
  grep -rnoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]+[">]' "$1" --include='*.h' --include='*.cpp' |
    sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/:/' || true
}

# The index of $1 among the other arguments, -1 if it is not there.
position() {
  local name=$1 index=0 other
  shift
  for other in "$@"; do
    [[ $other != "$name" ]] || { echo "$index"; return; }
    index=$((index + 1))
  done
  echo -1
}

# The room of a path like "app/run/report.h"; nothing if it lies beside the rooms.
room_of() {
  local below=${1#*/}
  [[ $below != */* ]] || echo "${below%%/*}"
}

# Why the file $1 may not include $2, a header of the same folder (both from src/); nothing if it may.
room_objection() {
  local folder=${1%%/*} from to own other
  local -a order
  read -ra order <<<"${rooms[$folder]:-}"
  from=$(room_of "$1")
  to=$(room_of "$2")
  [[ ${#order[@]} -gt 0 && -n $from && $from != "$to" ]] || return 0
  own=$(position "$from" "${order[@]}")
  other=$(position "$to" "${order[@]}")
  if [[ $own == -1 ]]; then
    echo "$folder/$from is not in the list of rooms"
  elif [[ -z $to ]] || ((other > own)); then
    echo "$folder/${to:-} is a higher room than $folder/$from"
  fi
}

is_torch_free() {
  [[ " ${torch_free[*]} " == *" $1 "* ]]
}

# Why the file $1 (from src/) may not include the header $2; nothing if it may.
objection() {
  local file=$1 folder=${1%%/*} header=$2 name=${2:1:-1}
  case $header in
    '<torch/torch.h>') echo "the whole of LibTorch is slow to compile: include the narrow headers" ;;
    '<torch/'* | '<ATen/'* | '<c10/'*)
      ! is_torch_free "$folder" || echo "$folder does without LibTorch" ;;
    '"'*)
      local layer=${name%%/*} own other
      own=$(position "$folder" "${layers[@]}")
      other=$(position "$layer" "${layers[@]}")
      if [[ $name != */* || $other == -1 ]]; then
        echo "write the path from src/, beginning with one of: ${layers[*]}"
      elif ((other > own)); then
        echo "$layer is a higher layer than $folder"
      elif [[ $layer == "$folder" ]]; then
        room_objection "$file" "$name"
      fi ;;
  esac
}

# Prints every wrong include below $1 (a folder like src/); fails if there is one.
check() {
  local source=$1 folder file line header reason wrong=0
  for folder in "$source"/*/; do
    folder=$(basename "$folder")
    if [[ $(position "$folder" "${layers[@]}") == -1 ]]; then
      echo "$source/$folder: not in the list of layers"
      wrong=1
      continue
    fi
    while IFS=: read -r file line header; do
      reason=$(objection "${file#"$source"/}" "$header")
      [[ -z $reason ]] || { echo "$file:$line: $header: $reason"; wrong=1; }
    done < <(includes "$source/$folder" | grep -E ':("|<(torch|ATen|c10)/)')
  done
  return $wrong
}

# One include per case into an otherwise clean tree; the last ones are allowed.
self_test() {
  local tree case folder line expected
  tree=$(mktemp -d)
  # shellcheck disable=SC2064  # the name as it is now
  trap "rm -rf '$tree'" EXIT
  while IFS='|' read -r expected folder line; do
    rm -rf "$tree/src"
    mkdir -p "$tree/src/$folder"
    echo "$line" >"$tree/src/$folder/a.cpp"
    if check "$tree/src" >/dev/null; then case=good; else case=bad; fi
    [[ $case == "$expected" ]] || { echo "self-test: src/$folder with $line is $case, not $expected"; exit 1; }
  done <<'CASES'
bad|core|#include "config/schema.h"
bad|text|  #  include "nn/shape.h"
bad|nn|#include "model/seq2seq.h"
bad|kernels|#include "nn/shape.h"
bad|model|#include "seq2seq.h"
bad|model|#include "../nn/shape.h"
bad|train|#include <torch/torch.h>
bad|metrics|#include <torch/types.h>
bad|kernels|#include <ATen/ATen.h>
bad|helpers|#include <vector>
bad|app/config|#include "app/run/report.h"
bad|server/http|#include "server/server.h"
bad|server/pages|#include "server/http/url.h"
good|app/run|#include "app/config/experiment.h"
good|server|#include "server/api/routes.h"
good|nn/rnn|#include "nn/fused/loop.h"
good|train|#include "core/error.h"
good|nn|#include <torch/types.h>
good|nn|#include "kernels/product/gemm.h"
good|core|#include "core/error.h"
good|align|#include <vector>
CASES
}

if [[ ${1:-} == --self-test ]]; then
  self_test
else
  check src
fi
