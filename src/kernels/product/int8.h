#pragma once
#include <cstdint>

#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Quantises each row to whole numbers from -127 to 127 with its own scale, the row's largest
/// absolute value / 127: from[i, k] is about scales[i] to[i, k]. `to` has rows without gaps. A row
/// with a NaN or an infinity has a NaN as its scale.
void to_int8(Matrix<const float> from, int8_t* to, float* scales);

/// Output of to_int8() as another type, with `added` added to each number and rows padded with 0 to
/// `stride` numbers.
template <class Number>  // int8_t, uint8_t or int16_t
struct QuantizedRows {
  Matrix<const float> from;
  Number* to = nullptr;
  int64_t stride = 0;
  float* scales = nullptr;
  int added = 0;
};
template <class Number>
void quantize(const QuantizedRows<Number>& rows);

/// sums[i, j] = sum_k x[i, k] w[j, k], exactly, for x [rows, inputs] and w [outputs, inputs] from
/// to_int8(). Requires: inputs <= 2^17, so that sums fit.
void int8_product(int64_t rows, int64_t outputs, int64_t inputs, const int8_t* x, const int8_t* w,
                  int32_t* sums);

/// y[i, j] (+)= row_scales[i] column_scales[j] sums[i, j]: converts an int8_product() back to
/// float. `sums` has rows without gaps.
void from_int8_product(const int32_t* sums, const float* row_scales, const float* column_scales,
                       Matrix<float> y, Into into);

}  // namespace attend::kernels
