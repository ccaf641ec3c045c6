#pragma once
#include "model/recurrent/wiring.h"

namespace attend::model {

/// Wiring::advance() as a loop of one step. Requires, as decode_fused() does: no plain_reasons(),
/// and tensors that nn::is_fusible().
[[nodiscard]] Advanced advance_fused(const Wiring& wiring, const torch::Tensor& projected,
                                     const nn::PreparedMemory& memory, const RecurrentState& state,
                                     const LayerMasks& masks);

/// Wiring::decode() as one loop. `lengths` [B] int64 on the CPU: how many of the embedded [B, T, E]
/// are real.
[[nodiscard]] Decoded decode_fused(const Wiring& wiring, const nn::IndexedRows& embedded,
                                   const torch::Tensor& lengths, const nn::PreparedMemory& memory,
                                   const RecurrentState& start);

}  // namespace attend::model
