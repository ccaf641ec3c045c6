#!/usr/bin/env bash
# Measures attend on a GPU against PyTorch and prints Markdown tables, within eight minutes.
#   scripts/bench_gpu.sh [--program FILE] [--checks FILE]... [--data DIR] [--only "card equality train translate recipe"]
#                        [--seconds 10] [--budget 480] [--device cuda]
# The parts, in the order given by --only:
#   card       the card, the versions, and two ceilings: bytes/s of a large copy, FLOP/s of a large matrix product
#   equality   each --checks program, a GoogleTest binary, with ATTEND_TEST_DEVICE set to the device
#   train      each job for --seconds: attend and PyTorch in turn, in bf16, tf32 and f32
#   translate  beam 5 with batches of 1, 64, 128 and 256 sentences; also counts lines translated as on the CPU. PyTorch
#              translates everything once before it is timed; attend is timed from its first batch
#   recipe     configs/multi30k_en_de.yaml trained whole, and its BLEU on the test set
# The jobs are `reference` (tests/bench/reference.yaml), `gnmt` (tests/bench/gnmt.yaml), `transformer`
# (tests/bench/transformer.yaml) and `recipe`. PyTorch's programs are in scripts/gpu_bench: packed nn.LSTM, fused Adam, CUDA
# graphs, scaled_dot_product_attention. They need a python3 with PyTorch 2 and sentencepiece.
#
# Without --program, builds first; name LibTorch for CUDA by CMAKE_PREFIX_PATH in the environment. Nothing is downloaded.
# --data DIR may hold Multi30k (the .lc.norm.tok files of scripts/get_multi30k.sh, plain or .gz) and tokenizers of an earlier
# run (multi30k-8000.model and so on), which saves half a minute. Other text is generated.
# The gnmt job translates with a large network that gives the output of gnmt-narrow, a small one trained for a few minutes on
# a CPU (scripts/gpu_bench/widen.py): the work of the large one, with translations of realistic length. --data may hold
# gnmt-narrow.
#
# Each measurement appends one line to --results (build/bench_gpu/results.jsonl) when it ends. A second call skips the
# measurements that are there, so that several short sessions on a card fill one table; --retry repeats failed measurements,
# and --again attend repeats those of a contender (for example after a change of the program).
# --budget S skips measurements that are not expected to end within S seconds. Each measurement has its own time limit. A
# failed one is recorded with its reason, and the others continue.
#
# More options:
#   --jobs "reference gnmt transformer recipe"  --precisions "bf16 tf32 f32"  --rounds 1
#   --loops "graphs"               PyTorch's loops: eager, graphs, compile (graphs and torch.compile; half a minute to start)
#   --translate-jobs "gnmt recipe"  --batches "1 64 128 256"
#   --rival-batches "128"          the batch sizes at which PyTorch translates too
#   --seeds "1"  --recipe-precision f32  --recipe-seconds 150 (its estimated time, if its speed is unknown)
#   --checks-seconds 60            estimated time of each --checks
#   --work DIR                     models, text and logs (build/bench_gpu)
#   --narrow-minutes 3             to train gnmt-narrow, if --data has none
#   --pairs 100000                 generated sentence pairs
#   --threads 4  --python "python3"
#   --small                        sizes for a CPU: scripts/bench_gpu.sh --device cpu --small --seconds 3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ " $* " == *" --help "* || " $* " == *" -h "* ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
program=()
if [[ " $* " != *" --program "* ]]; then
  scripts/build.sh -DATTEND_BUILD_TESTS=OFF ${CMAKE_PREFIX_PATH:+"-DCMAKE_PREFIX_PATH=$CMAKE_PREFIX_PATH"} >&2
  program=(--program build/src/cli/attend)
fi
exec python3 scripts/gpu_bench/run.py "${program[@]}" "$@"
