#pragma once
#include <torch/types.h>

#include <string>

#include "train/objective/alignment_loss_names.h"

namespace attend::train {

/// The distance of attention from its goals (Chen et al. 2016, arXiv 1607.01628, Sec. 3), summed
/// over the target positions that have a goal (a row of `goals` that is not 0):
///   cross_entropy:  -sum_t sum_s goals[t, s] log weights[t, s]
///   squared_error:  1/2 sum_t sum_s (goals[t, s] - weights[t, s])^2
/// weights, goals [B, T, S] -> a scalar, differentiable in `weights`. Weights below 1e-30 count as
/// 1e-30 in the logarithm, without a gradient: a distribution with exact zeros cannot be pushed
/// away from them. Throws std::out_of_range for any other name.
[[nodiscard]] torch::Tensor alignment_loss(const std::string& name, const torch::Tensor& weights,
                                           const torch::Tensor& goals);

}  // namespace attend::train
