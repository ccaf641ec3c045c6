#!/usr/bin/env bash
# Counts the comment lines of src/ that begin with a fragment ("// Of the lines ...", "/// Whether x ...") instead of a
# subject and a verb, prints them, and fails if there are more than 20.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

limit=20
fragment='^\s*(//+|#) *(Of|That|In which|Who|Whose|Whom|Which|What|Whether|For who)\b'
found=$(grep -rnE "$fragment" src || true)
count=$(grep -c . <<<"$found" || true)
if ((count > limit)); then
  echo "$found"
  echo "check_prose.sh: $count comment lines begin with a fragment; at most $limit may" >&2
  exit 1
fi
