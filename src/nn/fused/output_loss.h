#pragma once
#include <torch/types.h>

#include "nn/loss.h"

namespace attend::nn::fused {

/// cross_entropy() of the logits states W^T + bias, which are never all in memory. The forward pass
/// computes the logits of a block of rows, replaces them by their gradient and adds to all other
/// gradients at once, so that the backward pass only scales these. states [N, D], weight [V, D],
/// bias [V], targets [N] int64; float or double on the CPU. With R-Drop a block has the predictions
/// of both passes.
[[nodiscard]] CrossEntropy output_loss(const torch::Tensor& states, const torch::Tensor& weight,
                                       const torch::Tensor& bias, const torch::Tensor& targets,
                                       const LossOptions& options);

}  // namespace attend::nn::fused
