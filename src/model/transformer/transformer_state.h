#pragma once
#include <vector>

#include "model/transformer/mixer.h"
#include "nn/attention/attention.h"

namespace attend::model {

/// What one decoder layer carries from one target position to the next.
struct DecoderLayerState {
  MixerState mixer;
  nn::AttentionState attention;  // of history-dependent attentions to the source
};

/// What a DecoderState of the transformer decoders holds. Rows are hypotheses.
struct TransformerState {
  std::vector<DecoderLayerState> layers;  // lowest first
  int64_t position = 0;                   // target position of the next step, from 0
  torch::Tensor ancestors = {};           // [N, position] Ancestry::before

  /// Row i of the result is row parents[i] ([N'] int64) of this state.
  [[nodiscard]] TransformerState reorder(const torch::Tensor& parents) const;
  /// Those that are defined, of the lowest layer first.
  [[nodiscard]] std::vector<torch::Tensor> tensors() const;
};

}  // namespace attend::model
