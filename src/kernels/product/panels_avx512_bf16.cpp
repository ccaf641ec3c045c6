#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#include "kernels/product/avx512_lanes.h"
#include "kernels/product/panel_product.h"

namespace attend::kernels {
namespace {

/// Rounds to bf16 to the nearest, ties to even; subnormal numbers become 0.
struct Avx512Bf16 : Avx512FloatSums {
  using LeftUnit = Bf16Pair;
  using RightUnit = Bf16Pair;
  using Right = __m512i;
  static constexpr int64_t kDepth = 2;

  static ATTEND_TARGET_INLINE Right load(const Bf16Pair* b) { return _mm512_load_si512(b); }
  static ATTEND_TARGET_INLINE __m512i spread(const Bf16Pair* a) {
    return _mm512_set1_epi32(static_cast<int>(*a));
  }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, __m512i a, Right b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }

  static ATTEND_TARGET_INLINE __m256i rounded(__m512 x) {
    return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x));
  }
  static ATTEND_TARGET_INLINE void convert_along(const float* x, int64_t count, Bf16Pair* to) {
    for (int64_t i = 0; i < count; i += kLanes) {
      const __m256i pairs = rounded(load_some(x + i, count - i));
      const auto lanes = static_cast<__mmask8>(first_lanes((count - i + 1) / 2));
      _mm256_mask_storeu_epi32(to + i / 2, lanes, pairs);
    }
  }
  static ATTEND_TARGET_INLINE void convert_across(Matrix<const float> x, int64_t k, int64_t column,
                                                  Bf16Pair* to) {
    const int64_t columns = x.columns - column;
    const float* const from = x.data + k * x.stride + column;
    const __m256i first = rounded(load_some(from, columns));
    const __m256i second = rounded(load_some(from + x.stride, k + 1 < x.rows ? columns : 0));
    const __m512i upper = _mm512_slli_epi32(_mm512_cvtepu16_epi32(second), 16);
    _mm512_store_si512(to, _mm512_or_si512(_mm512_cvtepu16_epi32(first), upper));
  }
};

}  // namespace

const PanelKernels& panels_avx512_bf16() {
  return PanelProducts<Avx512Bf16>::kernels();
}

}  // namespace attend::kernels
#endif
