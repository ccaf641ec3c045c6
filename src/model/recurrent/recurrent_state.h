#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/attention/attention.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// The DecoderState of the recurrent decoder. Rows are hypotheses.
struct RecurrentState {
  std::vector<nn::CellState> layers;  // lowest first
  torch::Tensor feed;  // [N, H] further value that a wiring carries: luong's previous attentional
                       // state, answer's W u; undefined: none
  nn::AttentionState attention;  // running state of history-dependent attentions
  int64_t position = 0;          // target position of the next step, from 0

  /// Row i of the result is row parents[i] ([N'] int64) of this state.
  [[nodiscard]] RecurrentState reorder(const torch::Tensor& parents) const;
  /// The defined tensors, starting with the lowest layer's hidden state.
  [[nodiscard]] std::vector<torch::Tensor> tensors() const;
};

}  // namespace attend::model
