#pragma once
#include <cstdint>

#include "kernels/gemm.h"

namespace attend::kernels {

/// Each row as whole numbers from -127 to 127 times a scale of its own, the largest of the row over
/// 127: from[i, k] is about scales[i] to[i, k]. `to` has rows without a gap. A row that holds
/// not-a-number gets it as its scale.
void to_int8(Matrix<const float> from, int8_t* to, float* scales);

/// sums[i, j] = sum_k x[i, k] w[j, k], exactly, for x [rows, inputs] and w [outputs, inputs] as
/// to_int8() gives them.
/// Requires: inputs <= 2^17, so that sums fit.
void int8_product(int64_t rows, int64_t outputs, int64_t inputs, const int8_t* x, const int8_t* w,
                  int32_t* sums);

/// y[i, j] (+)= row_scales[i] column_scales[j] sums[i, j]: what the product of two matrices of
/// to_int8() stands for. `sums` has rows without a gap.
void from_int8_product(const int32_t* sums, const float* row_scales, const float* column_scales,
                       Matrix<float> y, Into into);

}  // namespace attend::kernels
