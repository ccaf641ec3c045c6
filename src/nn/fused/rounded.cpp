#include "nn/fused/rounded.h"

namespace attend::nn::fused {

torch::Tensor rounded(const torch::Tensor& x) {
  const torch::Tensor dense = x.contiguous();
  torch::Tensor result = torch::empty(dense.sizes(), torch::kInt16);
  kernels::to_bf16(dense.data_ptr<float>(),
                   reinterpret_cast<kernels::Bf16*>(result.data_ptr<int16_t>()), dense.numel());
  return result;
}

const kernels::Bf16* data_of(const torch::Tensor& rounded) {
  return reinterpret_cast<const kernels::Bf16*>(rounded.data_ptr<int16_t>());
}

}  // namespace attend::nn::fused
