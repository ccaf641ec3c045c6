#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.h"

namespace attend::decode {

class Shortlist;

inline constexpr int64_t kMostHypotheses = 1'000'000;  ///< that a beam may have

/// The config section `decoding`, and what `translate` and `eval` can override.
struct DecodingOptions {
  int64_t beam = 5;             ///< hypotheses per sentence; 1: greedy
  double length_penalty = 1.0;  ///< alpha: a hypothesis' log-probability is divided by length^alpha
  double coverage_penalty = 0.0;         ///< beta of Wu et al. (2016), eq. 14; 0: off
  int64_t batch_size = 64;               ///< how much is decoded together
  std::string batch_unit = "sentences";  ///< sentences | tokens: see BatchSize
  double max_length_ratio = 2.0;         ///< longest output: ratio * source length + 10 pieces
  int64_t no_repeat_ngram_size = 0;      ///< no run of so many pieces twice in an output; 0: any
  std::string precision = "f32";         ///< f32 | bf16 | int8: operands of matrix products
  std::string kernels = "fused";         ///< fused | plain

  bool operator==(const DecodingOptions&) const = default;
};

void describe(config::Schema<DecodingOptions>& schema);

/// Names of `precision`.
[[nodiscard]] std::vector<std::string> precision_names();
/// Names of `batch_unit`.
[[nodiscard]] std::vector<std::string> batch_unit_names();

/// Drawing tokens from the model's distribution instead of searching for the most probable ones.
struct SamplingOptions {
  double temperature = 1.0;  ///< divides the log-probabilities; below 1 sharpens
  int64_t top_k = 0;         ///< draw among this many most probable tokens; 0: all
  double top_p = 1.0;        ///< draw among the fewest tokens that hold this much probability
  uint64_t seed = 1;
};

/// Everything that steers a search.
struct SearchOptions {
  DecodingOptions decoding;
  int64_t n_best = 1;                               ///< hypotheses to return; with sampling: draws
  std::optional<SamplingOptions> sampling;          ///< set: sample; the beam is not used
  bool allow_unknown = false;                       ///< whether kUnk may be put out
  bool keep_attention = true;                       ///< whether hypotheses carry their attention
  std::shared_ptr<const Shortlist> shortlist = {};  ///< of what is scored; null: everything
};

/// Throws UsageError, naming the option, its value and what is allowed, for the first value that is
/// out of range or does not fit another.
void validate(const SearchOptions& options);

}  // namespace attend::decode
