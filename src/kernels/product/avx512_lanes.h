#pragma once
/// Sixteen lanes of AVX-512, shared by the instruction sets for float, bf16 and int8. See
/// panel_tile.h for ATTEND_TARGET.
#include <immintrin.h>

#include "kernels/product/gemm.h"
#include "kernels/product/panel_layout.h"

namespace attend::kernels {
namespace {

/// A block of a panel takes 128 KiB, and a block of rows of matrix a takes 512 KiB.
struct Avx512Lanes {
  static constexpr int64_t kLanes = 16, kTileRows = 8, kLeftWidth = 32, kBlockRows = 128;
  static constexpr int64_t kBlockUnits = 1024;

  /// A mask of the first `count` of 16 lanes; any `count`.
  static ATTEND_TARGET_INLINE __mmask16 first_lanes(int64_t count) {
    return static_cast<__mmask16>((1U << std::clamp<int64_t>(count, 0, kLanes)) - 1U);
  }

  static ATTEND_TARGET_INLINE __m512 load_some(const float* x, int64_t count) {
    return _mm512_maskz_loadu_ps(first_lanes(count), x);
  }
  static ATTEND_TARGET_INLINE void store_some(float* x, __m512 values, int64_t count) {
    _mm512_mask_storeu_ps(x, first_lanes(count), values);
  }
};

/// Sums of float.
struct Avx512FloatSums : Avx512Lanes {
  using Sum = __m512;

  static ATTEND_TARGET_INLINE Sum zero() { return _mm512_setzero_ps(); }
  static ATTEND_TARGET_INLINE void write(Sum sum, float* c, int64_t count, Into into) {
    if (into == Into::add) sum = _mm512_add_ps(sum, load_some(c, count));
    store_some(c, sum, count);
  }
};

}  // namespace
}  // namespace attend::kernels
