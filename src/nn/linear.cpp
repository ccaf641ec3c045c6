#include "nn/linear.h"

#include "nn/device/linear.h"
#include "nn/execution.h"
#include "nn/fused/linear.h"
#include "nn/packed_weights.h"

namespace attend::nn {

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias) {
  if (has_device_forms(x) || (is_on_device(x) && uses_bf16(x)))
    return device::linear(x, weight, bias);
  if (const kernels::PackedWeight* const packed = packed_for(x, weight)) {
    torch::Tensor product = multiply(x, *packed);
    return bias.defined() ? product.add_(bias) : product;
  }
  if (uses_bf16(x) || fused::has_fused_linear(x)) return fused::linear(x, weight, bias);
  return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
}

torch::Tensor linear_added(const torch::Tensor& sum, const torch::Tensor& x,
                           const torch::Tensor& weight) {
  if (uses_bf16(x) && is_on_device(x)) return sum + device::linear(x, weight, {});
  const kernels::PackedWeight* const packed = packed_for(x, weight);
  return packed != nullptr ? multiply_added(sum, x, *packed) : at::addmm(sum, x, weight.t());
}

Linear::Linear(int64_t inputs, int64_t outputs, bool bias)
    : weight_(register_parameter("weight", torch::empty({outputs, inputs}))) {
  if (bias) bias_ = register_parameter("bias", torch::zeros({outputs}));
}

torch::Tensor Linear::forward(const torch::Tensor& x) const {
  return linear(x, weight_, bias_);
}

torch::Tensor Linear::added_to(const torch::Tensor& sum, const torch::Tensor& x) const {
  return linear_added(sum, x, weight_);
}

void Linear::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  if (gain_ != 1.0) weight_.mul_(gain_);
  if (bias_.defined()) bias_.zero_();
  if (first_bias_.defined()) bias_.copy_(first_bias_);
}

}  // namespace attend::nn
