#pragma once
#include <torch/types.h>

#include "nn/dropout.h"

namespace attend::nn::fused {

/// drop(relu(x + bias)) of x [..., D] and bias [D] by kernels::Rectify, float or double on the CPU.
/// `dropout` of probability 0: none.
[[nodiscard]] torch::Tensor rectify(const torch::Tensor& x, const torch::Tensor& bias,
                                    const DropoutMask& dropout);

}  // namespace attend::nn::fused
