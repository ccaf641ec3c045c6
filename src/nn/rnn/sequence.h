#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/fused/packing.h"
#include "nn/rnn/cell.h"

namespace attend::nn {

/// Output of a recurrent layer for whole sequences.
struct SequenceOutput {
  torch::Tensor outputs;  // [N, T, H] hidden states, H over all directions; zero beyond a row's end
  CellState last;         // state after each row's last real step
  /// Weights of the memory heads after each position, [N, heads, T, M] for each direction; empty
  /// unless requested.
  std::vector<torch::Tensor> head_weights = {};
};

/// One cell of a layer and the direction in which it reads a sequence.
struct Direction {
  const RnnCell& cell;
  CellState start;
  torch::Tensor recurrent_mask;  // [N, H] as in RnnCell::step; undefined: none
  fused::ReadingDirection reading = fused::ReadingDirection::forward;
};

/// Runs `directions` over x [N, T, I], in parallel if there are threads, and concatenates their
/// outputs and states. `lengths` [N] int64, on the device of x: length of each row without padding,
/// all >= 1. A cell that reads backward ends at the first position. `keep_heads` requests
/// head_weights, only for cells with a memory. `host_lengths`: `lengths` on the CPU, which saves
/// waiting for them; undefined: copied if needed.
[[nodiscard]] SequenceOutput run_directions(const std::vector<Direction>& directions,
                                            const IndexedRows& x, const torch::Tensor& lengths,
                                            bool keep_heads = false,
                                            const torch::Tensor& host_lengths = {});

/// Positions that reverse each row and leave padding in place: [N, T] int64, for
/// gather_positions(). Only the first lengths[n] - keep_last positions are reversed.
[[nodiscard]] torch::Tensor reversed_positions(const torch::Tensor& lengths, int64_t steps,
                                               int64_t keep_last = 0);

/// result[n, t] = x[n, positions[n, t]], for x [N, T] or [N, T, *].
[[nodiscard]] torch::Tensor gather_positions(const torch::Tensor& x,
                                             const torch::Tensor& positions);

}  // namespace attend::nn
