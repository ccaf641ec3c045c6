#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#include "kernels/product/avx512_lanes.h"
#include "kernels/product/panel_product.h"

namespace attend::kernels {
namespace {

struct Avx512Floats : Avx512FloatSums {
  using LeftUnit = float;
  using RightUnit = float;
  using Right = __m512;
  static constexpr int64_t kDepth = 1;

  static ATTEND_TARGET_INLINE Right load(const float* b) { return _mm512_load_ps(b); }
  static ATTEND_TARGET_INLINE __m512 spread(const float* a) { return _mm512_set1_ps(*a); }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, __m512 a, Right b) {
    return _mm512_fmadd_ps(a, b, sum);
  }

  static ATTEND_TARGET_INLINE void convert_along(const float* x, int64_t count, float* to) {
    std::copy_n(x, count, to);
  }
  static ATTEND_TARGET_INLINE void convert_across(Matrix<const float> x, int64_t k, int64_t column,
                                                  float* to) {
    _mm512_store_ps(to, load_some(x.data + k * x.stride + column, x.columns - column));
  }
};

}  // namespace

const PanelKernels& panels_avx512() {
  return PanelProducts<Avx512Floats>::kernels();
}

}  // namespace attend::kernels
#endif
