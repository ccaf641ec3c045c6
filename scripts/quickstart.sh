#!/usr/bin/env bash
# Installs the packages and builds, then trains on the bundled corpus for about two minutes, translates, scores, aligns and
# draws, and sums up the result. A second run keeps the build and starts the rest over.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

model=runs/quickstart
results=runs/quickstart-results
test_set=data/quickstart/test
attend=build/src/cli/attend

step() { printf '\n== %s\n' "$*"; }

# score_in FILE: the first number after an equals sign.
score_in() { sed -nE '1s/^[^=]* = ([0-9.]+).*/\1/p' "$1"; }

# Prints the first three test sentences with translation and reference.
show_translations() {
  local i
  for i in 1 2 3; do
    printf '  source       %s\n' "$(sed -n "${i}p" "$test_set.en")"
    printf '  translation  %s\n' "$(sed -n "${i}p" "$results/test.de")"
    printf '  reference    %s\n\n' "$(sed -n "${i}p" "$test_set.de")"
  done
}

step "Packages"
scripts/install_packages.sh
cores=$(nproc)
step "Build: the first time about $((12 / cores + 1)) minutes on $cores idle cores; [n/m] counts the files"
scripts/build.sh -DATTEND_BUILD_TESTS=OFF

# Makes OpenMP threads stop spinning sooner. This costs nothing on an idle machine, and gives several times the updates on
# a busy one.
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-10000}

started=$SECONDS
step "Train configs/quickstart.yaml: 1,897 updates, about two minutes on two idle cores"
"$attend" train configs/quickstart.yaml --output "$model" --overwrite

rm -rf "$results"
mkdir -p "$results"
step "Translate and score $test_set.en"
"$attend" translate --model "$model" --input "$test_set.en" --output "$results/test.de"
"$attend" eval --hypothesis "$results/test.de" --reference "$test_set.de" | tee "$results/bleu.txt"

step "Align the test pairs, compare with the gold alignment, and draw the first ten"
"$attend" align --model "$model" --source "$test_set.en" --target "$test_set.de" \
  --output "$results/test.links" --gold "$test_set.gold" | tee "$results/aer.txt"
for side in en de; do
  head -n 10 "$test_set.$side" >"$results/first10.$side"
done
"$attend" align --model "$model" --source "$results/first10.en" --target "$results/first10.de" \
  --output "$results/first10.links" --heatmaps "$results/heatmaps" --heatmap-format png

step "Done in $((SECONDS - started)) seconds after the build"
show_translations
cat <<END
  BLEU         $(score_in "$results/bleu.txt") of 100 on $(wc -l <"$test_set.en") test sentences
  AER          $(score_in "$results/aer.txt") against the gold alignment (0: all links right)
  pictures     $results/heatmaps (attention), $model/report.html (curves of the training)
  files        $results (translations, scores, links), $model (the model)

Try next:
  export PATH="$PWD/build/src/cli:\$PATH"
  echo 'The dog sleeps .' | attend translate --model $model
  attend serve --model en-de=$model      # a page to translate and look inside, at http://127.0.0.1:8080/
  attend help
END
