#pragma once
#include <torch/types.h>

#include "kernels/attention/distance_bias.h"

namespace attend::nn::fused {

/// Converts a contiguous bias by distance, [h, 2 R + 1] or [2 R + 1] for one head. An undefined
/// tensor means no bias.
template <class T>
[[nodiscard]] kernels::DistanceBias<T> distance_bias(const torch::Tensor& bias) {
  if (!bias.defined()) return {};
  return {bias.template data_ptr<T>(), bias.size(-1) / 2};
}

}  // namespace attend::nn::fused
