#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

#include "model/transformer/layer_options.h"
#include "nn/attention/key_value_cache.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// A mixer's state after the positions so far. A value type whose rows are hypotheses. All tensors
/// are undefined before the first position.
struct MixerState {
  nn::KeyValueCache cache;  // self-attention
  nn::CellState unit;       // recurrent unit; for an SSRU only `cell`
  /// Replaces the cache in fused search, where reordering hypotheses copies no rows.
  nn::fused::StepHistory history;

  /// Row i of the result is row rows[i] ([N'] int64) of this state.
  [[nodiscard]] MixerState select(const torch::Tensor& rows) const;
};

/// Ancestor rows, shared by all layers: entry [n, s] is the ancestor of row n at position s.
struct Ancestry {
  torch::Tensor before;  // [N, t] for the positions so far; undefined: no layer keeps a history
  torch::Tensor now;  // [N, t + 1] including the next position; undefined: no history is extended
};

/// Mixes a target position with earlier ones: the first part of a decoder layer.
class Mixer : public torch::nn::Module {
 public:
  struct Mixed {
    torch::Tensor outputs;  // [N, T, C]
    MixerState state;       // after the last position
    torch::Tensor weights;  // [N, heads, T, t] over all positions so far; undefined without
                            // attention
  };
  /// Processes positions x [N, T, C] that follow those of `state`: a whole sequence after an empty
  /// state, or one at a time. Weights that are not wanted are left out if they would cost time.
  [[nodiscard]] virtual Mixed forward(const torch::Tensor& x, const MixerState& state,
                                      const Ancestry& ancestry,
                                      nn::AttentionOutputs wanted) const = 0;
  /// nn::SelfAttention::added() of a self-attention; empty for other mixers.
  [[nodiscard]] virtual nn::AddedVectors added(const torch::Tensor& /*x*/) const { return {}; }
  /// nn::SelfAttention::plain_reasons() of a self-attention; empty for other mixers.
  [[nodiscard]] virtual std::vector<std::string> plain_reasons() const { return {}; }
};

/// Masked self-attention.
[[nodiscard]] std::shared_ptr<Mixer> make_self_attention_mixer(const LayerOptions& options);
/// An nn::Ssru.
[[nodiscard]] std::shared_ptr<Mixer> make_ssru_mixer(const LayerOptions& options);
/// A recurrent cell as wide as the layers (Domhan 2018, "How Much Attention Do You Need?": an RNN
/// with the rest of the Transformer around it).
[[nodiscard]] std::shared_ptr<Mixer> make_recurrent_mixer(nn::CellKind cell,
                                                          const LayerOptions& options);

}  // namespace attend::model
