#include "decode/options.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace attend::decode {
namespace {

constexpr int64_t kMost = kMostHypotheses;  // also limits other counts, so that products fit int64
constexpr double kMostRatio = 1000.0;
constexpr double kSteepestLength = 10.0;   // keeps length^penalty finite
constexpr double kColdest = 1e-6;          // keeps logits / temperature finite
constexpr double kHeaviestCoverage = 1e6;  // keeps its products with sums of logarithms finite

template <class Number>
void require(bool holds, const char* name, Number value, const char* expected) {
  if (!holds) throw UsageError(fmt::format("{} is {}; expected {}", name, value, expected));
}

void validate(const DecodingOptions& options) {
  require(options.beam >= 1 && options.beam <= kMost, "the beam", options.beam, "1 to 1000000");
  require(options.batch_size >= 1 && options.batch_size <= kMost, "the batch size",
          options.batch_size, "at least 1 and at most 1000000");
  require(std::fabs(options.length_penalty) <= kSteepestLength, "the length penalty",
          options.length_penalty, "-10 to 10");
  require(options.coverage_penalty >= 0.0 && options.coverage_penalty <= kHeaviestCoverage,
          "the coverage penalty", options.coverage_penalty, "0 or more and at most 1000000");
  require(options.max_length_ratio >= 0.0 && options.max_length_ratio <= kMostRatio,
          "the maximum length ratio", options.max_length_ratio, "0 or more and at most 1000");
  require(options.no_repeat_ngram_size >= 0 && options.no_repeat_ngram_size <= kMost,
          "the n-gram size that must not repeat", options.no_repeat_ngram_size,
          "1 to 1000000, or 0 for none");
}

void validate(const SamplingOptions& options) {
  require(options.temperature >= kColdest && std::isfinite(options.temperature), "the temperature",
          options.temperature, "0.000001 or more (for the most probable tokens use a beam of 1)");
  require(options.top_k >= 0, "top-k", options.top_k, "at least 1, or 0 for no limit");
  require(options.top_p > 0.0 && options.top_p <= 1.0, "top-p", options.top_p,
          "more than 0 and at most 1");
}

std::string plain_has_f32_only(const DecodingOptions& options) {
  if (options.kernels != KernelKind::plain || options.precision == Precision::f32) return "";
  return fmt::format("{} needs fused kernels; choose kernels: fused, or precision: f32",
                     options.precision);
}

/// Limits the memory of a search, since a model's config can come from a stranger.
std::string too_many_at_once(const DecodingOptions& options) {
  constexpr int64_t kMostRows = 100'000;
  constexpr int64_t kMostPieces = 1'000'000;
  const bool by_tokens = options.batch_unit == data::BatchUnit::tokens;
  const int64_t most = by_tokens ? kMostPieces : kMostRows;
  if (options.beam * options.batch_size <= most) return "";
  return fmt::format("beam * batch_size is {}; with batch_unit: {} it may be at most {}",
                     options.beam * options.batch_size, options.batch_unit, most);
}

}  // namespace

void describe(config::Schema<DecodingOptions>& schema) {
  schema.integer("beam", &DecodingOptions::beam, config::in_range<int64_t>(1, kWidestBeamOfConfig),
                 "Hypotheses kept per sentence in beam search; 1 is greedy.");
  schema.number("length_penalty", &DecodingOptions::length_penalty,
                config::in_range(-kSteepestLength, kSteepestLength),
                "Log-probabilities are divided by length^length_penalty before hypotheses are "
                "compared; 0: off.");
  schema.number(
      "coverage_penalty", &DecodingOptions::coverage_penalty,
      config::in_range(0.0, kHeaviestCoverage),
      "Weight of the penalty for source positions that got little attention (Wu et al. 2016).");
  schema.integer("batch_size", &DecodingOptions::batch_size, config::in_range<int64_t>(1, kMost),
                 "Size of a batch.");
  schema.choice("batch_unit", &DecodingOptions::batch_unit,
                "Unit of batch_size. sentences: lines; a batch with lines over 128 pieces holds "
                "fewer. tokens: tokens of the source (in forced decoding, of the longer side), "
                "including end symbols and padding.");
  schema.number("max_length_ratio", &DecodingOptions::max_length_ratio,
                config::in_range(0.0, kMostRatio),
                "A translation has at most max_length_ratio times as many pieces as the source, "
                "plus 10; with a longer prefix, 10 more than the prefix.");
  schema.integer("no_repeat_ngram_size", &DecodingOptions::no_repeat_ngram_size,
                 config::in_range<int64_t>(0, kMost),
                 "No sequence of this many pieces occurs twice in a translation (Paulus et al. "
                 "2018); 0: off.");
  schema.choice(
      "precision", &DecodingOptions::precision,
      "Number format of the operands of matrix products. bf16 needs a GPU or a CPU with "
      "AVX512_BF16; int8 rounds each row of weights and inputs to 8 bits with a scale of its own "
      "(on a GPU it is f32).");
  schema.choice("kernels", &DecodingOptions::kernels,
                "fused: steps run as kernels on packed weights where the kernels support the "
                "model; plain: LibTorch operations, in f32.");
  schema.rule({"kernels", "precision"}, plain_has_f32_only);
  schema.rule({"beam", "batch_size", "batch_unit"}, too_many_at_once);
}

void validate(const SearchOptions& options) {
  validate(options.decoding);
  require(options.n_best >= 1 && options.n_best <= kMost, "the n-best size", options.n_best,
          "1 to 1000000");
  if (options.sampling) {
    validate(*options.sampling);
  } else if (options.n_best > options.decoding.beam) {
    throw UsageError(
        fmt::format("the n-best size is {}, but the beam only {}; beam search finds at most one "
                    "hypothesis per place in the beam; raise the beam",
                    options.n_best, options.decoding.beam));
  }
}

}  // namespace attend::decode
