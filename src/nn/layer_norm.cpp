#include "nn/layer_norm.h"

namespace attend::nn {

LayerNorm::LayerNorm(int64_t size)
    : gain_(register_parameter("gain", torch::ones({size}))),
      bias_(register_parameter("bias", torch::zeros({size}))) {}

torch::Tensor LayerNorm::forward(const torch::Tensor& x) const {
  return at::layer_norm(x, gain_.sizes(), gain_, bias_);
}

void LayerNorm::initialize(const at::Generator&) {
  const torch::NoGradGuard no_grad;
  gain_.fill_(1.0);
  bias_.zero_();
}

}  // namespace attend::nn
