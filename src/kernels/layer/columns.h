#pragma once
#include <cstdint>

#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Which columns of a wider matrix each of N rows has: those of one of L lists.
struct RowColumns {
  Matrix<const int32_t> lists;      // [L, W]; negative: none
  const int64_t* owners = nullptr;  // [N] rows of `lists`
};

/// to[i, c] = from[i, columns.lists[columns.owners[i], c]], or -infinity where there is none.
/// Requires: `to` is as wide as the lists, and rows and columns of these numbers are there.
void gather_columns(Matrix<const float> from, const RowColumns& columns, Matrix<float> to);

/// The same of from = x weight^T + bias for x [N, K], weight [U, K], bias [U], of which no other
/// column is computed. A number of the result depends on its row of x and of the weight alone, to
/// the last bit. Rows of one owner are best neighbours: they read a row of the weight together.
void product_of_columns(Matrix<const float> x, Matrix<const float> weight, const float* bias,
                        const RowColumns& columns, Matrix<float> to);

}  // namespace attend::kernels
