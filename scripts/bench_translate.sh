#!/usr/bin/env bash
# Times translating with attend, CTranslate2 and PyTorch: the same Transformer, text, beam, batches and threads.
#   scripts/bench_translate.sh --model DIR --input FILE [--reference FILE] [--lexicon-target FILE]
#                              [--programs "attend ctranslate2"] [--precision "f32 int8"] [--batch "1 16 64 file"]
#                              [--beam 5] [--threads "1 2"] [--lines 1000] [--rounds 3] [--program FILE] [--python FILE]
# Exports the model to CTranslate2 (which must be able to run it, see src/app/export/README.md), and lets the programs take
# turns; every second round they go in the opposite order. "file": batches of 2,000 source tokens. CTranslate2 runs with
# every division of the threads into translators, and the table shows the fastest; one that takes three times as long as
# another runs only once.
# --lexicon-target FILE, the translations of --input or of more text, adds rows with a shortlist (for CTranslate2: vmap.txt).
# --programs "attend ctranslate2 torch" adds PyTorch (f32, scripts/bench_pytorch.py), which is slow.
# --python names a Python with the packages ctranslate2 and sentencepiece. Results are in build/bench_translate, a line of
# JSON per run. To print only the table: scripts/bench_translate.py table build/bench_translate/results.jsonl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OMP_NUM_THREADS

case " $* " in
  *" --help "* | *" -h "*) sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *" --program "*) ;;
  *) scripts/build.sh >&2 ;;
esac
exec python3 scripts/bench_translate.py run "$@"
