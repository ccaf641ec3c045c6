#include "train/objective/alignment_loss.h"

#include "nn/shape.h"

namespace attend::train {
namespace {

constexpr double kSmallestWeight = 1e-30;

/// Sums only over cells whose goal is not 0, because other weights may be 0 and have no logarithm.
torch::Tensor cross_entropy(const torch::Tensor& weights, const torch::Tensor& goals) {
  const torch::Tensor cells = goals.flatten().nonzero().squeeze(1);  // [N]
  const torch::Tensor chosen = weights.flatten().index_select(0, cells);
  return -(goals.flatten().index_select(0, cells) * chosen.clamp_min(kSmallestWeight).log()).sum();
}

torch::Tensor squared_error(const torch::Tensor& weights, const torch::Tensor& goals) {
  const torch::Tensor has_goal = goals.sum(2, /*keepdim=*/true) > 0;  // [B, T, 1]
  return 0.5 * ((goals - weights) * has_goal).square().sum();
}

}  // namespace

torch::Tensor alignment_loss(AlignmentLoss loss, const torch::Tensor& weights,
                             const torch::Tensor& goals) {
  nn::check_shape(goals, {weights.size(0), weights.size(1), weights.size(2)},
                  "alignment_loss goals");
  const torch::Tensor shares = goals.to(weights.scalar_type());
  return loss == AlignmentLoss::cross_entropy ? cross_entropy(weights, shares)
                                              : squared_error(weights, shares);
}

}  // namespace attend::train
