#pragma once
#include <torch/types.h>

#include <cstdint>

namespace attend::train {

/// Moves `average` towards `values` after the update numbered `update` (from 1):
///   average <- d average + (1 - d) values,  d = min(decay, (1 + update) / (10 + update)),
/// so that the first weights are soon forgotten (the warm-up of TensorFlow's
/// ExponentialMovingAverage).
void update_moving_average(torch::Tensor average, const torch::Tensor& values, double decay,
                           int64_t update);

}  // namespace attend::train
