#!/usr/bin/env bash
# Builds, then kills training hundreds of times and checks that nothing is lost. See scripts/crash_test.sh --help.
#   scripts/crash_test.sh [--kills 300] [--seed 1] [--work DIR]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  -h | --help) exec "$root/scripts/crash_test.py" --help ;;
esac
"$root/scripts/build.sh" -DATTEND_BUILD_TESTS=OFF >&2
exec "$root/scripts/crash_test.py" "$root/build/src/cli/attend" "$@"
