#pragma once
/// Sums of int8 in lanes of AVX-512. See panel_tile.h for ATTEND_TARGET.
#include <cstring>

#include "kernels/product/avx512_lanes.h"
#include "kernels/product/int8_panel_product.h"

namespace attend::kernels {
namespace {

struct Avx512Int8Sums : Avx512Lanes {
  using LeftUnit = Int8Group;
  using Right = __m512i;
  // Not __m512i: GCC would copy registers between the two types at every addition.
  using Sum __attribute__((vector_size(64))) = int32_t;

  static ATTEND_TARGET_INLINE Sum zero() { return Sum{}; }
  static ATTEND_TARGET_INLINE __m512i spread(const Int8Group* a) {
    int unit = 0;
    std::memcpy(&unit, a, sizeof(unit));  // `a` was written as smaller numbers
    return _mm512_set1_epi32(unit);
  }
  static ATTEND_TARGET_INLINE void write_scaled(Sum sum, const Int8Scales& scales, float* y,
                                                int64_t count, Into into) {
    const __m512i offsets = _mm512_load_si512(scales.offsets);
    // A full mask, since GCC 12 warns in its own header about the intrinsic without a mask.
    const __m512 exact =
        _mm512_maskz_cvtepi32_ps(0xffff, _mm512_sub_epi32(reinterpret_cast<__m512i>(sum), offsets));
    const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(scales.row), _mm512_load_ps(scales.columns));
    const __m512 before = into == Into::add ? load_some(y, count) : _mm512_setzero_ps();
    store_some(y, _mm512_fmadd_ps(scale, exact, before), count);
  }
};

}  // namespace
}  // namespace attend::kernels
