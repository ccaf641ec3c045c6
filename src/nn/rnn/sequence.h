#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/fused/packing.h"
#include "nn/rnn/cell.h"

namespace attend::nn {

/// What a recurrent layer makes of whole sequences.
struct SequenceOutput {
  torch::Tensor outputs;  // [N, T, H] hidden states, H of all directions; zero beyond a row's end
  CellState last;         // state after each row's last real step
  /// Of each direction, where the heads of its memory were after each position: [N, heads, T, M].
  /// Empty unless asked for.
  std::vector<torch::Tensor> head_weights = {};
};

/// One cell of a layer and which way it goes through a sequence.
struct Direction {
  const RnnCell& cell;
  CellState start;
  torch::Tensor recurrent_mask;  // [N, H] as in RnnCell::step; undefined: none
  fused::ReadingDirection reading = fused::ReadingDirection::forward;
};

/// Runs `directions` over x [N, T, I], side by side where there are threads for it, and returns
/// their outputs and states side by side. `lengths` [N] int64, on the device of x: real steps of
/// each row, all >= 1. The last state of a cell that reads backward is the one after the first
/// position. `keep_heads`: for cells that have a memory.
[[nodiscard]] SequenceOutput run_directions(const std::vector<Direction>& directions,
                                            const IndexedRows& x, const torch::Tensor& lengths,
                                            bool keep_heads = false);

/// Positions that turn the real part of each row around and leave padding where it is: [N, T]
/// int64, for gather_positions(). The first lengths[n] - keep_last positions are turned.
[[nodiscard]] torch::Tensor reversed_positions(const torch::Tensor& lengths, int64_t steps,
                                               int64_t keep_last = 0);

/// result[n, t] = x[n, positions[n, t]], for x [N, T] or [N, T, *].
[[nodiscard]] torch::Tensor gather_positions(const torch::Tensor& x,
                                             const torch::Tensor& positions);

}  // namespace attend::nn
