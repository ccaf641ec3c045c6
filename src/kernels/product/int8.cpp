#include "kernels/product/int8.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/parallel.h"

namespace attend::kernels {
namespace {

constexpr float kLargest = 127.0F;
constexpr float kSmallest = 1e-36F;  // smaller numbers have an infinite factor
constexpr int64_t kGrain = 16;       // rows per parallel task

/// The largest absolute value; NaN if there is an infinity or a NaN. Compares the bits without the
/// sign as integers, which have the order of the absolute values: the compiler vectorizes these
/// comparisons, but not those of float, because of NaN.
ATTEND_ALWAYS_INLINE float largest_size(const float* x, int64_t count) {
  constexpr int32_t kAllButSign = 0x7FFFFFFF, kInfinity = 0x7F800000;
  int32_t largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int32_t size = std::bit_cast<int32_t>(x[k]) & kAllButSign;
    largest = size > largest ? size : largest;
  }
  if (largest >= kInfinity) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(largest);
}

/// Takes all arguments by value: the compiler assumes that 8-bit writes may alias anything in
/// memory.
template <class Number>
ATTEND_ALWAYS_INLINE void quantize_row(const float* x, int64_t count, float factor, int added,
                                       Number* to) {
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) {
    to[k] = static_cast<Number>(static_cast<int>(std::nearbyint(x[k] * factor)) + added);
  }
}

template <class Number>
ATTEND_ALWAYS_INLINE void quantize_rows(const QuantizedRows<Number>& rows, int64_t begin,
                                        int64_t end) {
  const int64_t columns = rows.from.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float* const x = rows.from.data + row * rows.from.stride;
    Number* const to = rows.to + row * rows.stride;
    const float largest = largest_size(x, columns);
    // Otherwise the row is zero, or its scale makes the whole row NaN.
    if (largest >= kSmallest) {
      quantize_row(x, columns, kLargest / largest, rows.added, to);
    } else {
      std::fill(to, to + columns, static_cast<Number>(rows.added));
    }
    std::fill(to + columns, to + rows.stride, Number{0});
    rows.scales[row] = largest / kLargest;
  }
}

ATTEND_ALWAYS_INLINE void scale_rows(const int32_t* sums, const float* row_scales,
                                     const float* column_scales, Matrix<float> y, bool add,
                                     int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const int32_t* const sum = sums + row * y.columns;
    float* const result = y.data + row * y.stride;
    const float scale = row_scales[row];
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < y.columns; ++k) {
      const float before = add ? result[k] : 0.0F;
      result[k] = before + scale * column_scales[k] * static_cast<float>(sum[k]);
    }
  }
}

}  // namespace

template <class Number>
void quantize(const QuantizedRows<Number>& rows) {
  parallel_clones<quantize_rows<Number>>(rows, rows.from.rows, kGrain);
}
template void quantize(const QuantizedRows<int8_t>&);
template void quantize(const QuantizedRows<uint8_t>&);
template void quantize(const QuantizedRows<int16_t>&);

void to_int8(Matrix<const float> from, int8_t* to, float* scales) {
  quantize(QuantizedRows<int8_t>{from, to, from.columns, scales});
}

void from_int8_product(const int32_t* sums, const float* row_scales, const float* column_scales,
                       Matrix<float> y, Into into) {
  parallel_ranges(y.rows, kGrain, [&](int64_t begin, int64_t end) {
    Clones<scale_rows>::call(sums, row_scales, column_scales, y, into == Into::add, begin, end);
  });
}

}  // namespace attend::kernels
