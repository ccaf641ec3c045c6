#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/attention/attention.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// Everything that flows from one target position to the next, as a value. Rows are hypotheses.
struct DecoderState {
  std::vector<nn::CellState> layers;  // lowest first
  torch::Tensor feed;  // [N, H] attentional state of the previous step; undefined unless it is fed
  nn::AttentionState attention;  // running state of history-dependent attentions
  int64_t position = 0;          // target position of the next step, from 0

  /// Row i of the result is row parents[i] ([N'] int64) of this state.
  [[nodiscard]] DecoderState select(const torch::Tensor& parents) const;
};

}  // namespace attend::model
