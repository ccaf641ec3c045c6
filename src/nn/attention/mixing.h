#pragma once
#include <torch/types.h>

#include "nn/attention/attended.h"
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/memory.h"
#include "nn/attention/scope/scope.h"
#include "nn/attention/score/score.h"

namespace attend::nn {

/// Computes the context of a query without fused kernels: the score's energies within a scope's
/// view, the distribution's weights for these energies, and the weighted sum of the values.
struct Mixing {
  const AttentionScore& score;
  const AttentionDistribution& distribution;
  double dropout = 0.0;  // probability of zeroing a weight; 0 outside training

  /// query [N, T, H] -> context [N, T, C] and weights [N, T, S]. The result has no state.
  [[nodiscard]] Attended attend(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState& state, const View& view) const;
};

}  // namespace attend::nn
