#pragma once
#include <torch/types.h>

#include "nn/dropout.h"

namespace attend::nn::fused {

/// drop(relu(x + bias)) for x [..., D] and bias [D] (kernels::Rectify), float or double on the CPU.
/// Probability 0 means no dropout.
[[nodiscard]] torch::Tensor rectify(const torch::Tensor& x, const torch::Tensor& bias,
                                    const DropoutMask& dropout);

}  // namespace attend::nn::fused
