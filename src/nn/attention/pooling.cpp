#include "nn/attention/pooling.h"

#include "nn/attention/distribution/masked_softmax.h"
#include "nn/shape.h"

namespace attend::nn {

AttentionPooling::AttentionPooling(int64_t size)
    : weight_(register_parameter("weight", torch::empty({size, size}))),
      bias_(register_parameter("bias", torch::zeros({size}))),
      query_(register_parameter("query", torch::empty({size}))) {}

AttentionPooling::Pooled AttentionPooling::forward(const torch::Tensor& states,
                                                   const torch::Tensor& mask) const {
  check_shape(states, {mask.size(0), mask.size(1), weight_.size(1)}, "AttentionPooling states");
  const torch::Tensor energies = at::matmul(linear(states, weight_, bias_).tanh(), query_);
  const torch::Tensor weights = masked_softmax(energies, mask);
  return {at::bmm(weights.unsqueeze(1), states).squeeze(1), weights};
}

void AttentionPooling::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  xavier_uniform(query_.unsqueeze(0), generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

}  // namespace attend::nn
