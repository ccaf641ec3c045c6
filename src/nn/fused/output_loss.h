#pragma once
#include <torch/types.h>

#include "nn/loss.h"

namespace attend::nn::fused {

/// cross_entropy() of logits = states W^T + bias that never exist all at once: they are computed,
/// turned into their gradient and used up a block of rows at a time, so the backward pass has
/// nothing left to do but to scale. states [N, D], weight [V, D], bias [V], targets [N] int64;
/// float or double on the CPU. With R-Drop a block has predictions of both passes.
[[nodiscard]] CrossEntropy output_loss(const torch::Tensor& states, const torch::Tensor& weight,
                                       const torch::Tensor& bias, const torch::Tensor& targets,
                                       const LossOptions& options);

}  // namespace attend::nn::fused
