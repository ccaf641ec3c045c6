#include "decode/attention/rollout.h"

namespace attend::decode {
namespace {

/// (W + I) / 2 of a layer, in float64.
torch::Tensor with_residual(const torch::Tensor& heads) {
  const torch::Tensor weights = heads.to(torch::kFloat64).mean(0);  // [S, S]
  const torch::Tensor itself = torch::eye(weights.size(0), weights.options());
  const torch::Tensor sums = weights.sum(1, /*keepdim=*/true);
  const torch::Tensor shares = torch::where(sums > 0, weights / sums, itself);
  return (shares + itself) / 2;
}

}  // namespace

torch::Tensor rollout(const std::vector<torch::Tensor>& layers) {
  torch::Tensor result;
  for (const torch::Tensor& layer : layers) {
    const torch::Tensor step = with_residual(layer);
    result = result.defined() ? torch::mm(step, result) : step;
  }
  return result.to(layers.front().scalar_type());
}

}  // namespace attend::decode
