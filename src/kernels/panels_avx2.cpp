#include "kernels/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx2,fma")))
#include "kernels/avx2_lanes.h"
#include "kernels/panel_product.h"

namespace attend::kernels {
namespace {

/// A block of a panel takes 32 KiB, all of the first-level cache of many of these CPUs, and of the
/// rows of a 240 KiB.
struct Avx2Floats : Avx2Lanes {
  using LeftUnit = float;
  using RightUnit = float;
  using Right = __m256;
  using Sum = __m256;
  static constexpr int64_t kDepth = 1, kBlockUnits = 512;

  static ATTEND_TARGET_INLINE Sum zero() { return _mm256_setzero_ps(); }
  static ATTEND_TARGET_INLINE Right load(const float* b) { return _mm256_load_ps(b); }
  static ATTEND_TARGET_INLINE __m256 spread(const float* a) { return _mm256_broadcast_ss(a); }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, __m256 a, Right b) {
    return _mm256_fmadd_ps(a, b, sum);
  }
  static ATTEND_TARGET_INLINE void write(Sum sum, float* c, int64_t count, Into into) {
    if (into == Into::add) sum = _mm256_add_ps(sum, load_some(c, count));
    store_some(c, sum, count);
  }

  static ATTEND_TARGET_INLINE void convert_along(const float* x, int64_t count, float* to) {
    std::copy_n(x, count, to);
  }
  static ATTEND_TARGET_INLINE void convert_across(Matrix<const float> x, int64_t k, int64_t column,
                                                  float* to) {
    _mm256_store_ps(to, load_some(x.data + k * x.stride + column, x.columns - column));
  }
  static ATTEND_TARGET_INLINE void turn(const float (*rows)[kPart], float* to) {
    for (int64_t row = 0; row < 2 * kLanes; row += kLanes) {
      for (int64_t k = 0; k < kPart; k += kLanes) {
        turn_square(rows[row] + k, to + k * 2 * kLanes + row);
      }
    }
  }

  /// Eight rows, kPart apart, to as many columns, a panel's width apart: pairs of numbers change
  /// places, then pairs of pairs, then halves.
  static ATTEND_TARGET_INLINE void turn_square(const float* rows, float* to) {
    __m256 pairs[kLanes], fours[kLanes];
    ATTEND_UNROLLED(8)
    for (int i = 0; i < kLanes; i += 2) {
      const __m256 upper = _mm256_load_ps(rows + i * kPart);
      const __m256 lower = _mm256_load_ps(rows + (i + 1) * kPart);
      pairs[i] = _mm256_unpacklo_ps(upper, lower);
      pairs[i + 1] = _mm256_unpackhi_ps(upper, lower);
    }
    ATTEND_UNROLLED(8)
    for (int i = 0; i < kLanes; i += 4) {
      ATTEND_UNROLLED(2)
      for (int j = 0; j < 2; ++j) {
        fours[i + 2 * j] = _mm256_shuffle_ps(pairs[i + j], pairs[i + j + 2], 0x44);
        fours[i + 2 * j + 1] = _mm256_shuffle_ps(pairs[i + j], pairs[i + j + 2], 0xEE);
      }
    }
    ATTEND_UNROLLED(8)
    for (int i = 0; i < 4; ++i) {
      _mm256_store_ps(to + i * 2 * kLanes, _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20));
      _mm256_store_ps(to + (i + 4) * 2 * kLanes,
                      _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31));
    }
  }
};

}  // namespace

const PanelKernels& panels_avx2() {
  return PanelProducts<Avx2Floats>::kernels();
}

}  // namespace attend::kernels
#endif
