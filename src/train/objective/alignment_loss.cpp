#include "train/objective/alignment_loss.h"

#include <stdexcept>

#include "nn/shape.h"

namespace attend::train {
namespace {

constexpr double kSmallestWeight = 1e-30;

/// Sums over the cells with a share only; other weights may be 0.
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

std::vector<std::string> alignment_loss_names() {
  return {"cross_entropy", "squared_error"};
}

torch::Tensor alignment_loss(const std::string& name, const torch::Tensor& weights,
                             const torch::Tensor& goals) {
  nn::check_shape(goals, {weights.size(0), weights.size(1), weights.size(2)},
                  "alignment_loss goals");
  const torch::Tensor shares = goals.to(weights.scalar_type());
  if (name == "cross_entropy") return cross_entropy(weights, shares);
  if (name == "squared_error") return squared_error(weights, shares);
  throw std::out_of_range("no alignment loss is called " + name);
}

}  // namespace attend::train
