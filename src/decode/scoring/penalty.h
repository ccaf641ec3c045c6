#pragma once
#include <torch/types.h>

#include <cstdint>

#include "decode/options.h"

namespace attend::decode {

/// log_prob / length^alpha. `length` counts kEos.
[[nodiscard]] double normalised(double log_prob, int64_t length, double alpha);

/// The highest normalised score that a hypothesis with `log_prob` so far can reach if its final
/// length is in shortest..longest. An upper bound, since log-probabilities only fall and coverage
/// penalties are never positive.
[[nodiscard]] double best_reachable(double log_prob, int64_t shortest, int64_t longest,
                                    double alpha);

/// The coverage penalty of Wu et al. (2016, arXiv 1609.08144), eq. 14, for every row:
///   beta * sum_s log(min(sum_t a[t, s], 1))
/// over the source positions without padding, kEos included. A sum below 1e-6 counts as 1e-6, so
/// that scores stay finite.
class CoveragePenalty {
 public:
  /// mask [B, S]: false on padding; one row per sentence.
  CoveragePenalty(const torch::Tensor& mask, double beta);

  /// Adds the attention [N, S] of a step.
  void add(const torch::Tensor& weights);
  /// [N] float64 on the CPU: the penalty of each row if its hypothesis ended now.
  [[nodiscard]] torch::Tensor penalties() const;
  void select(const torch::Tensor& parents);

 private:
  torch::Tensor coverage_;  // [N, S]; 1 on padding, which makes its penalty 0
  double beta_;
};

}  // namespace attend::decode
