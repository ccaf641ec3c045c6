#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn::fused {

/// Rows of a matrix in another order, some left out and zeros where there are none.
struct RowMap {
  torch::Tensor index;    // [P] int64: the row of x that becomes row i; negative: zeros
  torch::Tensor inverse;  // [M] int64: where row m of x went; negative: nowhere
};

/// Rows of x [M, D], float or double on the CPU.
struct GatheredRows {
  torch::Tensor x;
  RowMap map;
};

/// The rows of all `parts` side by side, [P, D of the first + D of the second + ...].
/// Differentiable.
[[nodiscard]] torch::Tensor gathered_rows(const std::vector<GatheredRows>& parts);

}  // namespace attend::nn::fused
