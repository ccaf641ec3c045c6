#pragma once
#include <cstdint>

#include "kernels/gemm.h"

namespace attend::kernels {

/// to[i, c] = from[i, columns[owners[i], c]], or -infinity where that column is negative.
/// `owners` [to.rows]: rows of `columns`, which is as wide as `to`. Requires: rows and columns of
/// these numbers are there.
void gather_columns(Matrix<const float> from, Matrix<const int32_t> columns, const int64_t* owners,
                    Matrix<float> to);

}  // namespace attend::kernels
