#pragma once
/// Sums of int8 in lanes of AVX2. See panel_tile.h for ATTEND_TARGET.
#include <cstring>

#include "kernels/product/avx2_lanes.h"
#include "kernels/product/int8_panel_product.h"

namespace attend::kernels {
namespace {

struct Avx2Int8Sums : Avx2Lanes {
  using LeftUnit = Int8Group;
  using Right = __m256i;
  // Not __m256i: GCC would copy registers between the two types at every addition.
  using Sum __attribute__((vector_size(32))) = int32_t;

  static ATTEND_TARGET_INLINE Sum zero() { return Sum{}; }
  static ATTEND_TARGET_INLINE __m256i spread(const Int8Group* a) {
    int unit = 0;
    std::memcpy(&unit, a, sizeof(unit));  // `a` was written as smaller numbers
    return _mm256_set1_epi32(unit);
  }
  static ATTEND_TARGET_INLINE void write_scaled(Sum sum, const Int8Scales& scales, float* y,
                                                int64_t count, Into into) {
    const auto* const offsets = reinterpret_cast<const __m256i*>(scales.offsets);
    const __m256 exact = _mm256_cvtepi32_ps(
        _mm256_sub_epi32(reinterpret_cast<__m256i>(sum), _mm256_load_si256(offsets)));
    const __m256 scale = _mm256_mul_ps(_mm256_set1_ps(scales.row), _mm256_load_ps(scales.columns));
    const __m256 before = into == Into::add ? load_some(y, count) : _mm256_setzero_ps();
    store_some(y, _mm256_fmadd_ps(scale, exact, before), count);
  }
};

}  // namespace
}  // namespace attend::kernels
