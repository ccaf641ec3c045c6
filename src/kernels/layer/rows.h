#pragma once
#include <cstdint>

#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Copies row index[i] of `from` to row i of `to`, or zeros if index[i] < 0. `index` [to.rows].
void gather_rows(Matrix<const float> from, const int64_t* index, Matrix<float> to);
void gather_rows(Matrix<const double> from, const int64_t* index, Matrix<double> to);

}  // namespace attend::kernels
