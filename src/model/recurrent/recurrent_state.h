#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/attention/attention.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// What a DecoderState of the recurrent decoder holds. Rows are hypotheses.
struct RecurrentState {
  std::vector<nn::CellState> layers;  // lowest first
  torch::Tensor feed;  // [N, H] what else a wiring carries on: luong's attentional state of the
                       // previous step, answer's W u; undefined: nothing
  nn::AttentionState attention;  // running state of history-dependent attentions
  int64_t position = 0;          // target position of the next step, from 0

  /// Row i of the result is row parents[i] ([N'] int64) of this state.
  [[nodiscard]] RecurrentState reorder(const torch::Tensor& parents) const;
  /// Those that are defined, the lowest layer's hidden state first.
  [[nodiscard]] std::vector<torch::Tensor> tensors() const;
};

}  // namespace attend::model
