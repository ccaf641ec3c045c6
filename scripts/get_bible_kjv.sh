#!/usr/bin/env bash
# Adds a second English version to data/bible for configs/multisource_bible.yaml: bible.{train,dev,test}.kjv, the King
# James Version from Debian's package sword-text-kjv, aligned line by line with the files of scripts/get_bible.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ -e data/bible/bible.test.names ]] || scripts/get_bible.sh
scripts/install_packages.sh python3 libsword-utils sword-text-kjv

work=$(mktemp -d "${TMPDIR:-/tmp}/attend-bible.XXXXXX")
trap 'rm -rf "$work"' EXIT
module=engKJV2006eb
mod2imp "$module" >"$work/$module.imp" || {
  echo "get_bible_kjv.sh: mod2imp could not read the module $module; installed are:" >&2
  ls /usr/share/sword/mods.d >&2
  exit 1
}
for part in train dev test; do
  scripts/pick_verses.py "$work/$module.imp" "data/bible/bible.$part.names" >"data/bible/bible.$part.kjv.tmp"
  mv "data/bible/bible.$part.kjv.tmp" "data/bible/bible.$part.kjv"
done
echo "get_bible_kjv.sh: done, see data/bible" >&2
