#pragma once
#include "nn/fused/loop.h"

namespace attend::nn {

/// State of one recurrent cell inside a loop of fused kernels.
struct LoopState {
  fused::LoopValue hidden;
  fused::LoopValue cell;  // not used by cells without one

  /// What it was one step before.
  [[nodiscard]] LoopState before() const { return {hidden.before(), cell.before()}; }
};

/// The part of a cell that loops of fused kernels use.
class FusedCell {
 public:
  virtual ~FusedCell() = default;
  /// Adds RnnCell::step() to a loop. `projected` [gates * H] is used up. Rows of `recurrent_mask`
  /// are in the order of the loop's Packing.
  virtual void unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
                      const torch::Tensor& recurrent_mask, const LoopState& next) const = 0;
};

}  // namespace attend::nn
