#pragma once
#include <torch/types.h>

#include <optional>

#include "nn/attention/memory.h"
#include "nn/parameters.h"

namespace attend::nn {

struct AttentionState;

/// A score in the one form that fused loops compute. With k the prepared keys and q' = W q:
///   e_s = vector . tanh(k_s + q'),  or  e_s = k_s . q'  without a vector.
struct LoopScore {
  torch::Tensor query_weight;  // W [A, H]; undefined: q' = q
  torch::Tensor vector;        // [A]
};

/// How a query is compared with the keys (the compatibility function). Implementations hold
/// parameters only; what is computed per sentence or per step travels in values.
class AttentionScore : public Block {
 public:
  /// Whether the score honours `per_feature`; an implementation that does says so with a constant
  /// of its own.
  static constexpr bool kWeighsFeatures = false;

  /// What the score needs of the keys, computed once per sentence: [B, S, *]. The mask is there for
  /// scores that mix neighbouring positions.
  [[nodiscard]] virtual torch::Tensor prepare(const Memory& memory) const = 0;

  /// query [N, T, H] -> energies [N, T, S], with `per_feature` [N, C, T, S], neither masked nor
  /// normalised. `memory.keys` is what prepare() returned.
  [[nodiscard]] virtual torch::Tensor energy(const torch::Tensor& query,
                                             const PreparedMemory& memory,
                                             const AttentionState& state) const = 0;

  /// The score as fused loops compute it, or nothing where it has no such form.
  [[nodiscard]] virtual std::optional<LoopScore> loop_score() const { return std::nullopt; }

  /// Whether energy() reads the state, so that queries must come one target position at a time.
  [[nodiscard]] virtual bool reads_history() const { return false; }

  /// Whether a position's energy depends on what is prepared and carried for that position alone,
  /// so that a few positions can be scored without the others.
  [[nodiscard]] virtual bool is_pointwise() const { return true; }

  /// The positions of `mask` [B, S] that the score can see at all.
  [[nodiscard]] virtual torch::Tensor visible(const torch::Tensor& mask) const { return mask; }
};

}  // namespace attend::nn
