#include "nn/fused/rounded.h"

namespace attend::nn::fused {

torch::Tensor rounded(const torch::Tensor& x) {
  const torch::Tensor result = torch::empty(x.sizes(), torch::kInt16);
  round_into(x, result);
  return result;
}

void round_into(const torch::Tensor& x, const torch::Tensor& result) {
  const torch::Tensor dense = x.contiguous();
  kernels::to_bf16(dense.data_ptr<float>(), data_of(result), dense.numel());
}

kernels::Bf16* data_of(const torch::Tensor& rounded) {
  return reinterpret_cast<kernels::Bf16*>(rounded.data_ptr<int16_t>());
}

}  // namespace attend::nn::fused
