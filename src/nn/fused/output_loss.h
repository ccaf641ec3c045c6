#pragma once
#include <torch/types.h>

#include "nn/loss.h"

namespace attend::nn::fused {

/// cross_entropy() of the logits states W^T + bias, without ever storing all logits. The forward
/// pass computes the logits of a block of rows, replaces them by their gradient and at once adds to
/// all other gradients; the backward pass only scales these. states [N, D], weight [V, D], bias
/// [V], targets [N] int64; float or double on the CPU. With R-Drop a block has the predictions of
/// both passes.
[[nodiscard]] CrossEntropy output_loss(const torch::Tensor& states, const torch::Tensor& weight,
                                       const torch::Tensor& bias, const torch::Tensor& targets,
                                       const LossOptions& options);

}  // namespace attend::nn::fused
