#pragma once
#include <torch/types.h>

#include "nn/attention/distribution/distribution.h"

namespace attend::nn {

/// exp(e) / sum exp(e) along the last dimension where `mask` is true, 0 elsewhere. A fully masked
/// row is all 0. The mask broadcasts to the energies.
[[nodiscard]] inline torch::Tensor masked_softmax(const torch::Tensor& energies,
                                                  const torch::Tensor& mask) {
  const torch::Tensor hidden = mask.logical_not();
  return energies.masked_fill(hidden, kLowestEnergy).softmax(-1).masked_fill(hidden, 0.0);
}

}  // namespace attend::nn
