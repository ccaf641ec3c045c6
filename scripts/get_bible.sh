#!/usr/bin/env bash
# Makes data/bible: about 31,000 English-Spanish verse pairs with word alignments, from public-domain Debian packages.
# data/README.md describes the files. Needs Debian; takes half a minute.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_packages.sh python3 libsword-utils sword-text-web sword-text-sparv

work=$(mktemp -d "${TMPDIR:-/tmp}/attend-bible.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bible"
for module in engWEB2015eb spaRV1909eb; do
  mod2imp "$module" >"$work/$module.imp" || {
    echo "get_bible.sh: mod2imp could not read the module $module; installed are:" >&2
    ls /usr/share/sword/mods.d >&2
    exit 1
  }
done
scripts/make_bible_corpus.py "$work/engWEB2015eb.imp" "$work/spaRV1909eb.imp" "$work/bible"

mkdir -p data/bible
for file in "$work"/bible/*; do    # complete files only: copy beside, then rename
  cp "$file" "data/bible/${file##*/}.tmp"
  mv "data/bible/${file##*/}.tmp" "data/bible/${file##*/}"
done
echo "get_bible.sh: done, see data/bible" >&2
