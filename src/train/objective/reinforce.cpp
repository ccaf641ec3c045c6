#include "train/objective/reinforce.h"

#include <cmath>

namespace attend::train {

torch::Tensor reinforce_objective(const nn::DrawnPositions& drawn, const torch::Tensor& log_probs,
                                  const torch::Tensor& mask, const nn::AttentionOptions& options,
                                  double baseline) {
  const torch::Tensor hidden = mask.logical_not();
  const torch::Tensor gains = (log_probs.detach() - baseline).masked_fill(hidden, 0.0);
  const torch::Tensor to_go = gains.flip(1).cumsum(1).flip(1);  // [B, T]
  const torch::Tensor terms =
      options.reward_weight * to_go * drawn.log_prob + options.entropy_bonus * drawn.entropy;
  return -terms.masked_fill(hidden, 0.0).sum();
}

bool needs_reinforcement(const nn::AttentionOptions& options) {
  return options.distribution == nn::DistributionKind::hard &&
         options.estimator == nn::Estimator::reinforce;
}

RewardBaseline::RewardBaseline(const nn::AttentionOptions& options, int64_t vocabulary)
    : decay_(options.baseline_decay) {
  if (!needs_reinforcement(options) || !options.baseline) return;
  value_ = torch::full({1}, -std::log(static_cast<double>(vocabulary)), torch::kFloat64);
}

double RewardBaseline::value() const {
  return value_.defined() ? value_.item<double>() : 0.0;
}

void RewardBaseline::add(double reward) {
  if (value_.defined()) value_.mul_(decay_).add_((1.0 - decay_) * reward);
}

}  // namespace attend::train
