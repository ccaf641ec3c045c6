#pragma once
#include "nn/fused/attention.h"

namespace attend::nn {

/// Interface of scopes that can run in loops of fused kernels.
class FusedScope {
 public:
  virtual ~FusedScope() = default;
  /// Returns the view of one query a step and adds the operations that compute it to the loop.
  /// `position` is the target position of the first step.
  [[nodiscard]] virtual fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                               int64_t position) const = 0;
};

}  // namespace attend::nn
