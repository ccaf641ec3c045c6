#pragma once
#include <optional>
#include <vector>

#include "model/recurrent/decoder_stack.h"
#include "model/recurrent/recurrent_state.h"

namespace attend::model {

/// One target position inside a loop of fused kernels.
struct LoopAdvanced {
  nn::fused::LoopValue hidden;                  // [H]
  std::optional<nn::fused::LoopValue> context;  // [C]; none unless the readout reads it
  std::optional<nn::fused::LoopValue> weights;  // [S]; none without attention
  std::vector<nn::LoopState> layers;            // the state for the next position, lowest first
  std::optional<nn::fused::LoopValue> feed;     // of that state; none unless it is fed
};

/// The part of a wiring that loops of fused kernels use.
class FusedWiring {
 public:
  virtual ~FusedWiring() = default;
  /// Adds Wiring::advance() to a loop whose states begin with `start`. `projected` [gates * H] is
  /// used up. Rows of `memory`, `start` and `masks` are in the order of the loop's Packing.
  [[nodiscard]] virtual LoopAdvanced unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                            const nn::PreparedMemory& memory,
                                            const RecurrentState& start,
                                            const LayerMasks& masks) const = 0;
};

}  // namespace attend::model
