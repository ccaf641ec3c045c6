#pragma once
#include <torch/types.h>

#include <utility>
#include <vector>

namespace attend::nn {

/// Vectors at positions [...], many of which may be the same, as those of words are: each distinct
/// one once, and for each position which. What is computed of them may then be computed once for
/// each, too.
struct IndexedRows {
  /// Vectors as they stand, [..., D].
  IndexedRows(torch::Tensor vectors) : rows(std::move(vectors)) {}  // NOLINT: any tensor is one
  /// The vector at a position is row index[position] of the_rows [U, D].
  IndexedRows(torch::Tensor the_rows, torch::Tensor the_index)
      : rows(std::move(the_rows)), index(std::move(the_index)) {}

  torch::Tensor rows;  // [U, D], or without an index [..., D]
  // [...] int64, each less than U; undefined: none. Negative: a position that goes nowhere, which
  // Packing::pack() may make.
  torch::Tensor index;

  /// [..., D].
  [[nodiscard]] std::vector<int64_t> sizes() const;
  /// As they stand, [..., D]. Differentiable. Requires: none negative.
  [[nodiscard]] torch::Tensor all() const;
};

}  // namespace attend::nn
