#pragma once
#include <cstdint>

#include "kernels/product/gemm.h"

namespace attend::kernels {

/// The columns that each of N rows selects from a wider matrix: row i selects lists[owners[i]].
struct RowColumns {
  Matrix<const int32_t> lists;      // [L, W] columns; negative: none
  const int64_t* owners = nullptr;  // [N] rows of `lists`
};

/// to[i, c] = from[i, columns.lists[columns.owners[i], c]], or -infinity if this column is
/// negative. Requires: `to` is as wide as the lists, and all owners and columns exist.
void gather_columns(Matrix<const float> from, const RowColumns& columns, Matrix<float> to);

/// gather_columns() from x weight^T + bias for x [N, K], weight [U, K] and bias [U], computing only
/// the selected columns. Each number depends only on its row of x and its row of the weight, to the
/// last bit. Faster if rows with the same list are adjacent: they share the reads of the weight.
void product_of_columns(Matrix<const float> x, Matrix<const float> weight, const float* bias,
                        const RowColumns& columns, Matrix<float> to);

}  // namespace attend::kernels
