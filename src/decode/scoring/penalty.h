#pragma once
#include <torch/types.h>

#include <cstdint>

#include "decode/options.h"

namespace attend::decode {

/// log_prob / length^alpha. `length` counts kEos.
[[nodiscard]] double normalised(double log_prob, int64_t length, double alpha);

/// The highest normalised score that a hypothesis of `log_prob` so far can still reach if it ends
/// with a length in shortest..longest: log-probabilities only fall, and coverage penalties are
/// never positive.
[[nodiscard]] double best_reachable(double log_prob, int64_t shortest, int64_t longest,
                                    double alpha);

/// The coverage penalty of Wu et al. (2016, arXiv 1609.08144), eq. 14, for every row:
///   beta * sum_s log(min(sum_t a[t, s], 1))
/// over the real source positions, the end symbol included. We keep the sum of a position that got
/// no attention at 1e-6, so that scores stay finite.
class CoveragePenalty {
 public:
  /// mask [B, S], true = real token; one row per sentence.
  CoveragePenalty(const torch::Tensor& mask, double beta);

  /// Adds a step's weights [N, S].
  void add(const torch::Tensor& weights);
  /// [N] float64 on the CPU: the penalty that each row would get if it ended now.
  [[nodiscard]] torch::Tensor penalties() const;
  void select(const torch::Tensor& parents);

 private:
  torch::Tensor coverage_;  // [N, S]; 1 on padding, where the penalty is then 0
  double beta_;
};

}  // namespace attend::decode
