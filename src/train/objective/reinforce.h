#pragma once
#include <torch/types.h>

#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::train {

/// The part of a batch's objective (to be minimised) that trains the draws of `hard` attention,
/// which pass no gradient: the score-function gradient of Williams (1992) with the variance
/// reduction of Xu et al. (2015), arXiv 1502.03044, Sec. 4.1:
///   -sum_t [reward_weight R[t] log p(draw at t) + entropy_bonus H[t]],
///   R[t] = sum_{t' >= t} (log p(y_t') - baseline)
/// A draw is rewarded for the words from its position on, since it does not affect earlier words.
/// drawn [B, T]; log_probs [B, T]: of the target words, as constants; mask [B, T]: false on
/// padding, which is left out of the sums.
[[nodiscard]] torch::Tensor reinforce_objective(const nn::DrawnPositions& drawn,
                                                const torch::Tensor& log_probs,
                                                const torch::Tensor& mask,
                                                const nn::AttentionOptions& options,
                                                double baseline);

/// True if `options` draw positions that need reinforce_objective().
[[nodiscard]] bool needs_reinforcement(const nn::AttentionOptions& options);

/// The moving average of log p per target word, the baseline of rewards: after each update b <-
/// decay b + (1 - decay) r. It starts at the uniform distribution's -log V, and stays 0 if the
/// options disable it.
class RewardBaseline {
 public:
  RewardBaseline(const nn::AttentionOptions& options, int64_t vocabulary);

  [[nodiscard]] double value() const;
  /// `reward`: nats, the mean log-probability of a word in an update.
  void add(double reward);

  /// [1] float64, part of a checkpoint; undefined without a baseline.
  [[nodiscard]] const torch::Tensor& state() const { return value_; }

 private:
  double decay_;
  torch::Tensor value_;
};

}  // namespace attend::train
