#pragma once
#include <torch/types.h>

#include "nn/rnn/cell.h"

namespace attend::nn {

/// What a recurrent layer makes of whole sequences.
struct SequenceOutput {
  torch::Tensor outputs;  // [N, T, H] hidden states
  CellState last;         // state after each row's last real step
};

/// Runs `cell` over x [N, T, I] from `start`. `lengths` [N] int64: real steps of each row, all >=
/// 1; outputs beyond are meaningless. `recurrent_mask` [N, H] as in RnnCell::step; undefined: none.
[[nodiscard]] SequenceOutput run_sequence(const RnnCell& cell, const torch::Tensor& x,
                                          const torch::Tensor& lengths, const CellState& start,
                                          const torch::Tensor& recurrent_mask);

/// The two directions of a layer: `forward` over x and `backward` over `turned`, both as
/// run_sequence() would from zero states, side by side where there are threads for it.
struct TwoDirections {
  SequenceOutput forward;
  SequenceOutput backward;
};
struct Direction {
  const RnnCell& cell;
  const torch::Tensor& x;               // [N, T, I]
  const torch::Tensor& recurrent_mask;  // [N, H]; undefined: none
};
[[nodiscard]] TwoDirections run_both(const Direction& forward, const Direction& backward,
                                     const torch::Tensor& lengths);

/// A state of zeros for N rows, of the same type and device as `like`.
[[nodiscard]] CellState zero_state(const RnnCell& cell, int64_t rows, const torch::Tensor& like);

/// Positions that turn the real part of each row around and leave padding where it is: [N, T]
/// int64, for gather_positions(). The first lengths[n] - keep_last positions are turned.
[[nodiscard]] torch::Tensor reversed_positions(const torch::Tensor& lengths, int64_t steps,
                                               int64_t keep_last = 0);

/// result[n, t] = x[n, positions[n, t]], for x [N, T] or [N, T, *].
[[nodiscard]] torch::Tensor gather_positions(const torch::Tensor& x,
                                             const torch::Tensor& positions);

/// gather_positions() for x [N, T, I] by positions that are their own inverse in every row, as
/// those of reversed_positions() are, which makes its gradient as fast.
[[nodiscard]] torch::Tensor turn_around(const torch::Tensor& x, const torch::Tensor& positions);

}  // namespace attend::nn
