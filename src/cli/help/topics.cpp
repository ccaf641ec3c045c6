#include "cli/help/topics.h"

#include <array>

namespace attend::cli {

namespace {

constexpr std::string_view kAttention =
    R"(Attention: model.attention compares a query q (the decoder's state) with a key
k for each source position, and mixes the values by the resulting weights.

  energies = score(q, k)
  weights  = distribution(scope(energies))
  context  = sum of weights * values

score: how query and key are compared
  additive           w^T tanh(W_k k + W_q q + b), the default
  activated_general  tanh(q^T W k + b)
  biased_general     k^T (W q + b)
  concat             w^T tanh(W [q; k] + b)
  convolution        additive, with a window of keys
  cosine             beta cos(W q, k)
  coverage           additive, with the sum of the weights so far
  deep               additive, with several layers
  dot                q^T k, of equal sizes
  general            q^T W k
  kernel             log(phi(W_q q)^T phi(W_k k))
  location           (W q)[s], from the query alone
  location_aware     additive, with filters over the last weights
  scaled_dot         q^T k / sqrt(size), of equal sizes

distribution: how energies become weights
  softmax            exp(e) over their sum, the default
  entmax15           low energies get exactly 0
  sparsemax          the nearest point of the simplex
  sigmoid            each position by itself
  hard               one position

scope: which source positions may get weight at target position t
  global             all, the default
  local_m            a window around t
  local_p            a window around a predicted position
  position_bias      all, with a learned bias for the distance

heads: N runs N attentions side by side. model.decoder.wiring places the
attention in a recurrent decoder: bahdanau, conditional or luong.

  attend train configs/quickstart.yaml --output runs/coverage \
    --set "model.attention={score: coverage, distribution: entmax15}"

Every key: attend config model.attention
Guide: src/nn/attention/README.md
)";

constexpr std::string_view kConfig =
    R"(A config is YAML with the sections data, tokenizer, model, training and
decoding. It needs only the texts; everything else has a default.

  data:
    train: {source: train.en, target: train.de}
    dev: {source: dev.en, target: dev.de}

  attend config                              every key, its default and meaning
  attend config my.yaml --set model.encoder.layers=2
                                             my.yaml with all defaults
  attend train my.yaml --dry-run             check config and text

- Defaults come first, then the file, then --set in order.
- Paths in a config are relative to its folder, those in --set to the working
  directory.
- A value is YAML: --set "model.dropout={embedding: 0.2, layer: 0.3}" sets two
  keys, --set data.dev=null takes a section back to its defaults.
- Keys without an effect are refused.

Guide: src/cli/README.md, "Write a config"
)";

constexpr std::string_view kExitCodes = R"(Exit codes of all commands:

  0        success
  1        internal error, or out of memory
  2        wrong command line or config
  3        data, model or program file missing, damaged or not writable
  4        non-finite loss more often than training.skip_non_finite allows; the
           state before it is saved
  5        another process of the run failed
  128 + N  stopped by signal N, after saving

Guide: src/cli/README.md, "Exit codes" and "Troubleshooting"
)";

constexpr std::string_view kFormats =
    R"(Text is UTF-8, one sentence a line, plain or gzip. Source and target have
equally many lines. Every command writes one line for every line that it reads.
translate --document reads paragraphs, lists and headings, and keeps their form.

  n-best list    id ||| text ||| score                (translate --n-best)
  score          natural logarithm of p(target | source)             (score)
  links          i-j for source word i and target word j, from 0     (align)
  gold links     i-j sure, ipj possible                              (--gold)
  attention      JSON lines with pieces and weights     (--attention, align)
  shortlist      TARGET SOURCE P                                   (lexicon)
  several sources on one stream: side by side with tabs between

A model is a folder: config.yaml, joint.model (or source.model and
target.model), pieces.json, best.safetensors, last.safetensors, last.state,
train.jsonl and report.html. Copy it as a whole.

Guide: src/data/README.md, "Formats"
)";

constexpr std::string_view kPrecision = R"(training.precision
  f32     the default, on every processor
  bf16    bf16 products, f32 weights and sums: two to three times as fast on
          AMD with AVX512_BF16 and Intel with AMX, faster on GPUs for large
          models, and slower than f32 on Intel without AMX
  tf32    GPUs only: f32 with products in TF32

translate --precision, decoding.precision
  f32     exact
  bf16    CPUs with AVX512_BF16 or AMX, and GPUs
  int8    the fastest on every CPU, and the same output on all of them

In our measurements BLEU differs by less than 0.3 between the three.

Guide: src/kernels/README.md
)";

constexpr std::array<Topic, 5> kTopics = {{
    {"attention", "Scores, distributions and scopes", kAttention},
    {"config", "What a config is and how settings combine", kConfig},
    {"exit-codes", "What the exit codes mean", kExitCodes},
    {"formats", "Files that are read and written", kFormats},
    {"precision", "Which precision to train and translate in", kPrecision},
}};

}  // namespace

std::span<const Topic> topics() {
  return kTopics;
}

}  // namespace attend::cli
