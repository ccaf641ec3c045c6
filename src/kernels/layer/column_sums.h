#pragma once
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// to [x.columns] += the sum of the rows of x.
void add_column_sums(Matrix<const float> x, float* to);
void add_column_sums(Matrix<const double> x, double* to);

/// Every row of x += row [x.columns].
void add_to_rows(const float* row, Matrix<float> x);
void add_to_rows(const double* row, Matrix<double> x);

}  // namespace attend::kernels
