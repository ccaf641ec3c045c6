#include "nn/layer_norm.h"

#include "nn/execution.h"

namespace attend::nn {
namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

LayerNorm::LayerNorm(int64_t size)
    : gain_(register_parameter("gain", torch::ones({size}))),
      bias_(register_parameter("bias", torch::zeros({size}))) {}

torch::Tensor LayerNorm::forward(const torch::Tensor& x) const {
  if (is_fusible(x)) return fused::add_norm({.x = x, .gain = gain_, .bias = bias_}).norm;
  return at::layer_norm(x, gain_.sizes(), gain_, bias_, kEpsilon);
}

fused::AddedNorm LayerNorm::added(const torch::Tensor& x, const torch::Tensor& part,
                                  const DropoutMask& mask) const {
  if (is_fusible(x))
    return fused::add_norm({.x = x, .part = part, .dropout = mask, .gain = gain_, .bias = bias_});
  const torch::Tensor sum = part.defined() ? x + dropout(part, mask) : x;
  return {sum, forward(sum)};
}

torch::Tensor LayerNorm::share(const torch::Tensor& v, const torch::Tensor& x) const {
  const torch::Tensor variance = x.var(-1, /*unbiased=*/false, /*keepdim=*/true);
  return gain_ * (v - v.mean(-1, /*keepdim=*/true)) / (variance + kEpsilon).sqrt();
}

void LayerNorm::initialize(const at::Generator&) {
  const torch::NoGradGuard no_grad;
  gain_.fill_(1.0);
  bias_.zero_();
}

}  // namespace attend::nn
