#pragma once
#include <torch/types.h>

namespace attend::nn::fused {

/// x [..., in] and weight [out, in] -> x W^T [..., out], float on the CPU, with operands rounded to
/// bf16 and sums in float, in the backward pass too. Requires: kernels::has_panels() of it.
[[nodiscard]] torch::Tensor bf16_linear(const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace attend::nn::fused
