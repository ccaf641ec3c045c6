#include "kernels/int8.h"

#include <cmath>

#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/lanes.h"
#include "kernels/parallel.h"

namespace attend::kernels {
namespace {

constexpr float kLargest = 127.0F;
constexpr int64_t kGrain = 16;  // rows a thread takes at a time

/// Infinity and not-a-number give not-a-number.
ATTEND_ALWAYS_INLINE float largest_size(const float* x, int64_t count) {
  float largest[kLanes] = {}, poison[kLanes] = {};
  const auto see = [&](int64_t lane, float value) __attribute__((always_inline)) {
    const float size = std::fabs(value);
    largest[lane] = size > largest[lane] ? size : largest[lane];
    poison[lane] += size * 0.0F;
  };
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) see(lane, x[k + lane]);
  }
  for (; k < count; ++k) see(0, x[k]);
  float result = 0.0F;
  for (const float size : largest) result = size > result ? size : result;
  for (const float none : poison) result += none;
  return result;
}

ATTEND_ALWAYS_INLINE void to_int8_rows(Matrix<const float> from, int8_t* to, float* scales,
                                       int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const float* const x = from.data + row * from.stride;
    int8_t* const rounded = to + row * from.columns;
    const float largest = largest_size(x, from.columns);
    const float factor = largest > 0.0F ? kLargest / largest : 0.0F;
    for (int64_t k = 0; k < from.columns; ++k) {
      rounded[k] = static_cast<int8_t>(static_cast<int>(std::nearbyint(x[k] * factor)));
    }
    scales[row] = largest / kLargest;
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

void to_int8(Matrix<const float> from, int8_t* to, float* scales) {
  parallel_ranges(from.rows, kGrain, [&](int64_t begin, int64_t end) {
    Clones<to_int8_rows>::call(from, to, scales, begin, end);
  });
}

void from_int8_product(const int32_t* sums, const float* row_scales, const float* column_scales,
                       Matrix<float> y, Into into) {
  parallel_ranges(y.rows, kGrain, [&](int64_t begin, int64_t end) {
    Clones<scale_rows>::call(sums, row_scales, column_scales, y, into == Into::add, begin, end);
  });
}

}  // namespace attend::kernels
