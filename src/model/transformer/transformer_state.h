#pragma once
#include <vector>

#include "model/transformer/mixer.h"
#include "nn/attention/attention.h"

namespace attend::model {

/// State of one decoder layer between target positions.
struct DecoderLayerState {
  MixerState mixer;
  nn::AttentionState attention;  // for history-dependent attention to the source
};

/// The DecoderState of the transformer decoders. Rows are hypotheses.
struct TransformerState {
  std::vector<DecoderLayerState> layers;  // lowest first
  int64_t position = 0;                   // target position of the next step, from 0
  torch::Tensor ancestors = {};           // [N, position] Ancestry::before

  /// Row i of the result is row parents[i] ([N'] int64) of this state.
  [[nodiscard]] TransformerState reorder(const torch::Tensor& parents) const;
  /// The defined tensors, starting with the lowest layer's.
  [[nodiscard]] std::vector<torch::Tensor> tensors() const;
};

}  // namespace attend::model
