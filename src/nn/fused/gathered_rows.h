#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn::fused {

/// Reorders rows of a matrix, may omit some and insert zeros.
struct RowMap {
  torch::Tensor index;    // [P] int64: row i of the result is row index[i] of x; negative: zeros
  torch::Tensor inverse;  // [M] int64: the place of row m of x; negative: omitted
};

/// Rows of x [M, D], float or double. The map is on the device of x.
struct GatheredRows {
  torch::Tensor x;
  RowMap map;
};

/// Concatenates the gathered rows of all `parts`: [P, D of the first + D of the second + ...].
/// Differentiable.
[[nodiscard]] torch::Tensor gathered_rows(const std::vector<GatheredRows>& parts);

}  // namespace attend::nn::fused
