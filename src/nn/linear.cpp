#include "nn/linear.h"

namespace attend::nn {

Linear::Linear(int64_t inputs, int64_t outputs, bool bias)
    : weight_(register_parameter("weight", torch::empty({outputs, inputs}))) {
  if (bias) bias_ = register_parameter("bias", torch::zeros({outputs}));
}

torch::Tensor Linear::forward(const torch::Tensor& x) const {
  return bias_.defined() ? at::linear(x, weight_, bias_) : at::linear(x, weight_);
}

torch::Tensor Linear::added_to(const torch::Tensor& sum, const torch::Tensor& x) const {
  return at::addmm(sum, x, weight_.t());
}

void Linear::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  if (bias_.defined()) bias_.zero_();
}

}  // namespace attend::nn
