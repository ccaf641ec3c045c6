#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx2,fma")))
#include "kernels/product/avx2_lanes.h"
#include "kernels/product/panel_product.h"

namespace attend::kernels {
namespace {

/// A block of a panel takes 32 KiB, the whole first-level cache of many of these CPUs, and a block
/// of rows of matrix a takes 240 KiB.
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
};

}  // namespace

const PanelKernels& panels_avx2() {
  return PanelProducts<Avx2Floats>::kernels();
}

}  // namespace attend::kernels
#endif
