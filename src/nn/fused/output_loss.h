#pragma once
#include <torch/types.h>

#include "nn/loss.h"

namespace attend::nn::fused {

/// cross_entropy() of the logits states W^T + bias, which are never all in memory. The forward pass
/// computes a block of rows, replaces it by its gradient and uses that at once, so the backward
/// pass only scales. states [N, D], weight [V, D], bias [V], targets [N] int64; float or double on
/// the CPU. With R-Drop a block has predictions of both passes.
[[nodiscard]] CrossEntropy output_loss(const torch::Tensor& states, const torch::Tensor& weight,
                                       const torch::Tensor& bias, const torch::Tensor& targets,
                                       const LossOptions& options);

}  // namespace attend::nn::fused
