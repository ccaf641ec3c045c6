#pragma once
#include <torch/types.h>

#include "kernels/attention/distance_bias.h"

namespace attend::nn::fused {

/// A bias by distance, dense [h, 2 R + 1] or [2 R + 1] of one head, as kernels read it; none where
/// it is undefined.
template <class T>
[[nodiscard]] kernels::DistanceBias<T> distance_bias(const torch::Tensor& bias) {
  if (!bias.defined()) return {};
  return {bias.template data_ptr<T>(), bias.size(-1) / 2};
}

}  // namespace attend::nn::fused
