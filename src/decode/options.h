#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"
#include "data/batch_options.h"

namespace attend::decode {

class Shortlist;

inline constexpr int64_t kMostHypotheses = 1'000'000;  ///< the widest beam
/// The widest beam that a config may ask for. A model's config can come from a stranger, and memory
/// grows with the beam times the vocabulary; options of the command line may go further.
inline constexpr int64_t kWidestBeamOfConfig = 1000;

/// Number format of the operands of matrix products in decoding.
enum class Precision { f32, bf16, int8 };

constexpr auto name_table(Precision) {
  return std::to_array<NamedValue<Precision>>(
      {{Precision::f32, "f32"}, {Precision::bf16, "bf16"}, {Precision::int8, "int8"}});
}

/// fused: kernels for whole sequences and steps; plain: LibTorch operations.
enum class KernelKind { fused, plain };

constexpr auto name_table(KernelKind) {
  return std::to_array<NamedValue<KernelKind>>(
      {{KernelKind::fused, "fused"}, {KernelKind::plain, "plain"}});
}

/// The config section `decoding`, which flags of `translate` and `eval` can override.
struct DecodingOptions {
  int64_t beam = 5;             ///< hypotheses per sentence; 1: greedy
  double length_penalty = 1.0;  ///< alpha: a hypothesis' log-probability is divided by length^alpha
  double coverage_penalty = 0.0;  ///< beta of Wu et al. (2016), eq. 14; 0: off
  int64_t batch_size = 64;        ///< counted in batch_unit
  data::BatchUnit batch_unit = data::BatchUnit::sentences;  ///< see BatchSize
  double max_length_ratio = 2.0;     ///< longest output: ratio * source length + 10 pieces
  int64_t no_repeat_ngram_size = 0;  ///< no run of this many pieces repeats; 0: off
  Precision precision = Precision::f32;
  KernelKind kernels = KernelKind::fused;

  bool operator==(const DecodingOptions&) const = default;
};

void describe(config::Schema<DecodingOptions>& schema);

/// Sampling: tokens are drawn from the model's distribution instead of searched for.
struct SamplingOptions {
  double temperature = 1.0;  ///< divides the log-probabilities; below 1 sharpens
  int64_t top_k = 0;         ///< draw among this many most probable tokens; 0: all
  double top_p = 1.0;        ///< draw among the fewest tokens that hold this much probability
  uint64_t seed = 1;
};

/// All options of a search.
struct SearchOptions {
  DecodingOptions decoding;
  int64_t n_best = 1;                               ///< hypotheses to return; with sampling: draws
  std::optional<SamplingOptions> sampling;          ///< set: sample; the beam is not used
  bool allow_unknown = false;                       ///< the output may have kUnk
  bool keep_attention = true;                       ///< hypotheses carry their attention
  std::shared_ptr<const Shortlist> shortlist = {};  ///< the pieces that are scored; null: all
};

/// Throws UsageError, naming the option, its value and what is allowed, for the first value that is
/// out of range or does not fit another.
void validate(const SearchOptions& options);

}  // namespace attend::decode
