#pragma once
#include "nn/fused/attention.h"

namespace attend::nn {

/// Interface of scopes that can run in loops of fused kernels.
class FusedScope {
 public:
  virtual ~FusedScope() = default;
  /// Adds the operations that compute the view of one query per step to the loop, and returns the
  /// view. `position` is the target position of the first step.
  [[nodiscard]] virtual fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                               int64_t position) const = 0;
};

}  // namespace attend::nn
