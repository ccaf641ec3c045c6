#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

#include "model/transformer/layer_options.h"
#include "nn/attention/key_value_cache.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// What a mixer keeps of the positions so far: a value, rows are hypotheses. Without tensors: there
/// were none.
struct MixerState {
  nn::KeyValueCache cache;  // self-attention
  nn::CellState unit;       // recurrent unit; of an SSRU the cell alone
  /// In place of the cache, where rows do not move when hypotheses go on from others.
  nn::fused::StepHistory history;

  /// Row i of the result is row rows[i] ([N'] int64) of this one.
  [[nodiscard]] MixerState select(const torch::Tensor& rows) const;
};

/// Who descends from whom, of all layers: row n of position s from row [n, s] of then.
struct Ancestry {
  torch::Tensor
      before;         // [N, t] of the positions that there are; undefined: nobody keeps a history
  torch::Tensor now;  // [N, t + 1] with the next one; undefined: it does not go to a history
};

/// How a position of the target learns of those before it: the first part of a decoder layer.
class Mixer : public torch::nn::Module {
 public:
  struct Mixed {
    torch::Tensor outputs;  // [N, T, C]
    MixerState state;       // after the last position
    torch::Tensor weights;  // [N, heads, T, t] over all positions so far; undefined: no attention
  };
  /// Positions x [N, T, C] that follow those of `state`: a whole sequence after none, or one at a
  /// time. Weights are left out where they are not wanted and cost something.
  [[nodiscard]] virtual Mixed forward(const torch::Tensor& x, const MixerState& state,
                                      const Ancestry& ancestry, nn::Wanted wanted) const = 0;
  /// nn::SelfAttention::plain_reasons() of a self-attention.
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
