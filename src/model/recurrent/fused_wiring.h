#pragma once
#include <optional>
#include <vector>

#include "model/recurrent/decoder_stack.h"
#include "model/recurrent/recurrent_state.h"

namespace attend::model {

/// One target position inside a loop of fused kernels.
struct LoopWiringStep {
  nn::fused::LoopValue hidden;                  // [H]
  std::optional<nn::fused::LoopValue> context;  // [C]; empty unless the readout reads it
  std::optional<nn::fused::LoopValue> weights;  // [S]; empty without attention
  std::vector<nn::LoopState> layers;            // the state for the next position, lowest first
  std::optional<nn::fused::LoopValue> feed;     // [H], carried to the next position, if any
};

/// Interface of wirings that can run in loops of fused kernels.
class FusedWiring {
 public:
  virtual ~FusedWiring() = default;
  /// Adds Wiring::advance() to a loop whose states begin with `start`. Overwrites `projected`
  /// [gates * H]. Rows of `memory`, `start` and `masks` are in the order of the loop's Packing.
  [[nodiscard]] virtual LoopWiringStep unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                              const nn::PreparedMemory& memory,
                                              const RecurrentState& start,
                                              const LayerMasks& masks) const = 0;
};

}  // namespace attend::model
