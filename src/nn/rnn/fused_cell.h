#pragma once
#include "nn/fused/loop.h"

namespace attend::nn {

/// State of one recurrent cell inside a loop of fused kernels.
struct LoopState {
  fused::LoopValue hidden;
  fused::LoopValue cell;  // unused by cells without one

  /// The state one step earlier.
  [[nodiscard]] LoopState before() const { return {hidden.before(), cell.before()}; }
};

/// Interface of cells that can run in loops of fused kernels.
class FusedCell {
 public:
  virtual ~FusedCell() = default;
  /// Adds RnnCell::step() to a loop. Overwrites `projected` [gates * H]. Rows of `recurrent_mask`
  /// are in the order of the loop's Packing.
  virtual void unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
                      const torch::Tensor& recurrent_mask, const LoopState& next) const = 0;
};

}  // namespace attend::nn
