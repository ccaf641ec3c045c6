#pragma once
#include <torch/types.h>

#include <string>

#include "nn/attention/memory.h"
#include "nn/parameters.h"

namespace attend::nn {

struct AttentionState;
class FusedScore;

/// Compares a query with the keys (the compatibility function). Implementations hold parameters
/// only; results per sentence or per step are returned as values.
class AttentionScore : public Block {
 public:
  /// Computes what the score needs from the keys, once per sentence: [B, S, *]. Scores that mix
  /// neighbouring positions use the mask.
  [[nodiscard]] virtual torch::Tensor prepare(const Memory& memory) const = 0;

  /// query [N, T, H] -> energies [N, T, S], or [N, C, T, S] with `per_feature`, neither masked nor
  /// normalised. `memory.keys` are the result of prepare().
  [[nodiscard]] virtual torch::Tensor energy(const torch::Tensor& query,
                                             const PreparedMemory& memory,
                                             const AttentionState& state) const = 0;

  /// The score's interface to loops of fused kernels (fused_score.h); null if it has none.
  [[nodiscard]] virtual const FusedScore* fused() const { return nullptr; }
  /// If fused() is null, the config setting that prevents the fused form.
  [[nodiscard]] virtual std::string plain_reason() const { return "attention.score"; }

  /// True if energy() reads the state, so that queries must come one target position at a time.
  [[nodiscard]] virtual bool reads_history() const { return false; }

  /// True if the energy of a position depends only on its own prepared key and state, so that some
  /// positions can be scored without the others.
  [[nodiscard]] virtual bool is_pointwise() const { return true; }

  /// `mask` [B, S] without the positions that the score cannot see.
  [[nodiscard]] virtual torch::Tensor visible(const torch::Tensor& mask) const { return mask; }
};

}  // namespace attend::nn
