#pragma once
#include <torch/types.h>

#include "train/options.h"

namespace attend::train {

/// The distance of attention weights from `goals`, the distributions that word links give for them
/// (Chen et al. 2016, arXiv 1607.01628, Sec. 3), summed over the target positions that have links:
///   cross_entropy:  -sum_t sum_s goals[t, s] log weights[t, s]
///   squared_error:  1/2 sum_t sum_s (goals[t, s] - weights[t, s])^2
/// weights, goals [B, T, S] -> a scalar, differentiable in `weights`. Weights below 1e-30 count as
/// 1e-30 in the logarithm, without a gradient: a distribution with exact zeros cannot be pushed
/// away from them.
[[nodiscard]] torch::Tensor alignment_loss(AlignmentLoss loss, const torch::Tensor& weights,
                                           const torch::Tensor& goals);

}  // namespace attend::train
