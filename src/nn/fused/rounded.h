#pragma once
#include <torch/types.h>

#include "kernels/bf16.h"

namespace attend::nn::fused {

/// x (float, on the CPU) rounded to bf16, in memory of its own without gaps.
[[nodiscard]] torch::Tensor rounded(const torch::Tensor& x);

/// The same into `result`, [..] int16 of as many numbers, without gaps.
void round_into(const torch::Tensor& x, const torch::Tensor& result);

/// Its data as the kernels take it.
[[nodiscard]] kernels::Bf16* data_of(const torch::Tensor& rounded);

}  // namespace attend::nn::fused
