#!/usr/bin/env bash
# Installs the packages and builds, then trains on the bundled corpus for about two minutes and shows translations, scores,
# alignments and pictures. A second run keeps the build and starts the rest over.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

model=runs/quickstart
results=runs/quickstart-results
test_set=data/quickstart/test
attend=build/src/cli/attend

step() { printf '\n== %s\n' "$*"; }

step "Packages"
scripts/install_packages.sh
step "Build"
scripts/build.sh -DATTEND_BUILD_TESTS=OFF

# Makes OpenMP threads stop spinning sooner. This costs nothing on an idle machine, and gives several times the updates on
# a busy one.
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-10000}

started=$SECONDS
step "Train: configs/quickstart.yaml"
"$attend" train configs/quickstart.yaml --output "$model" --overwrite

rm -rf "$results"
mkdir -p "$results"
step "Translate $test_set.en"
"$attend" translate --model "$model" --input "$test_set.en" --output "$results/test.de"
paste -d '\n' <(head -n 3 "$test_set.en") <(head -n 3 "$results/test.de") /dev/null

step "Evaluate"
"$attend" eval --hypothesis "$results/test.de" --reference "$test_set.de" | tee "$results/bleu.txt"

step "Align the test pairs and compare with the gold alignment"
"$attend" align --model "$model" --source "$test_set.en" --target "$test_set.de" \
  --output "$results/test.links" --gold "$test_set.gold" | tee "$results/aer.txt"

step "Draw the first ten"
for side in en de; do
  head -n 10 "$test_set.$side" >"$results/first10.$side"
done
"$attend" align --model "$model" --source "$results/first10.en" --target "$results/first10.de" \
  --output "$results/first10.links" --heatmaps "$results/heatmaps" --heatmap-format png

step "Done in $((SECONDS - started)) seconds after the build"
cat <<END
model          $model (report.html has the curves)
translations   $results/test.de
BLEU           $results/bleu.txt
links          $results/test.links
AER            $results/aer.txt
heatmaps       $results/heatmaps
END
