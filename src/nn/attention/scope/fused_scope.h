#pragma once
#include "nn/fused/attention.h"

namespace attend::nn {

/// The part of a scope that loops of fused kernels use.
class FusedScope {
 public:
  virtual ~FusedScope() = default;
  /// What a query, one a step, sees; adds to a loop whatever there is to do for it. `position` is
  /// the target position of the first step.
  [[nodiscard]] virtual fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                               int64_t position) const = 0;
};

}  // namespace attend::nn
