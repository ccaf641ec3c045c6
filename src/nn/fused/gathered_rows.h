#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn::fused {

/// Reorders the rows of a matrix. It may omit rows and insert zeros.
struct RowMap {
  torch::Tensor index;    // [P] int64: row i of the result is row index[i] of x; negative: zeros
  torch::Tensor inverse;  // [M] int64: row m of x is row inverse[m] of the result; negative: none
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
