#!/usr/bin/env bash
# Checks that the C++ files are formatted as .clang-format says. Needs clang-format 14, Debian 12's release: other releases
# format some lines differently.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for program in clang-format-14 clang-format; do
  if command -v "$program" >/dev/null && [[ $("$program" --version) == *"version 14."* ]]; then
    git ls-files -z -- '*.h' '*.cpp' | xargs -0 "$program" --dry-run -Werror
    exit
  fi
done
echo "check_format.sh: clang-format 14 was not found. On Debian 12: apt-get install clang-format-14; elsewhere:" \
  "pip install clang-format==14.0.6" >&2
exit 1
