#pragma once
#include <torch/types.h>

#include <utility>
#include <vector>

namespace attend::nn {

/// Vectors at positions [...]. Each distinct vector is stored once, and an index gives the row of
/// each position. Positions often share vectors, for example those of equal words; computations can
/// then run once per distinct vector.
struct IndexedRows {
  /// One vector per position, [..., D].
  IndexedRows(torch::Tensor vectors) : rows(std::move(vectors)) {}  // NOLINT: implicit
  /// The vector at a position is row index[position] of the_rows [U, D].
  IndexedRows(torch::Tensor the_rows, torch::Tensor the_index)
      : rows(std::move(the_rows)), index(std::move(the_index)) {}

  torch::Tensor rows;  // [U, D]; without an index [..., D]
  // [...] int64: the row of each position. Undefined if each position has its own row. A negative
  // index marks an unused position, which Packing::pack() may add.
  torch::Tensor index;

  /// Sizes of all(): [..., D].
  [[nodiscard]] std::vector<int64_t> sizes() const;
  /// The vector of each position, [..., D]. Differentiable. Requires: no negative index.
  [[nodiscard]] torch::Tensor all() const;
};

}  // namespace attend::nn
