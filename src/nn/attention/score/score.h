#pragma once
#include <torch/types.h>

#include <string>

#include "nn/attention/memory.h"
#include "nn/parameters.h"

namespace attend::nn {

struct AttentionState;
class FusedScore;

/// How a query is compared with the keys (the compatibility function). Implementations hold
/// parameters only; what is computed per sentence or per step travels in values.
class AttentionScore : public Block {
 public:
  /// What the score needs of the keys, computed once per sentence: [B, S, *]. The mask is there for
  /// scores that mix neighbouring positions.
  [[nodiscard]] virtual torch::Tensor prepare(const Memory& memory) const = 0;

  /// query [N, T, H] -> energies [N, T, S], with `per_feature` [N, C, T, S], neither masked nor
  /// normalised. `memory.keys` is what prepare() returned.
  [[nodiscard]] virtual torch::Tensor energy(const torch::Tensor& query,
                                             const PreparedMemory& memory,
                                             const AttentionState& state) const = 0;

  /// Its part in loops of fused kernels (fused_score.h); null: it has none and is computed plain.
  [[nodiscard]] virtual const FusedScore* fused() const { return nullptr; }
  /// The setting that leaves a score without fused(), where others of its kind have it.
  [[nodiscard]] virtual std::string plain_reason() const { return "attention.score"; }

  /// Whether energy() reads the state, so that queries must come one target position at a time.
  [[nodiscard]] virtual bool reads_history() const { return false; }

  /// Whether a position's energy depends on what is prepared and carried for that position alone,
  /// so that a few positions can be scored without the others.
  [[nodiscard]] virtual bool is_pointwise() const { return true; }

  /// The positions of `mask` [B, S] that the score can see at all.
  [[nodiscard]] virtual torch::Tensor visible(const torch::Tensor& mask) const { return mask; }
};

}  // namespace attend::nn
