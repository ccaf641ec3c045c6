#pragma once
#include <torch/types.h>

#include <utility>
#include <vector>

namespace attend::nn {

/// Vectors at positions [...], stored once for each distinct vector, with the index of each
/// position. Positions often share vectors, as words do; computations can then run once per
/// distinct vector.
struct IndexedRows {
  /// One vector per position, [..., D].
  IndexedRows(torch::Tensor vectors) : rows(std::move(vectors)) {}  // NOLINT: any tensor is one
  /// The vector at a position is row index[position] of the_rows [U, D].
  IndexedRows(torch::Tensor the_rows, torch::Tensor the_index)
      : rows(std::move(the_rows)), index(std::move(the_index)) {}

  torch::Tensor rows;  // [U, D]; without an index [..., D]
  // [...] int64, each less than U; undefined: one row per position. Negative: an unused position,
  // which Packing::pack() may add.
  torch::Tensor index;

  /// [..., D].
  [[nodiscard]] std::vector<int64_t> sizes() const;
  /// The vector of each position, [..., D]. Differentiable. Requires: no negative index.
  [[nodiscard]] torch::Tensor all() const;
};

}  // namespace attend::nn
