#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx2,fma")))
#include "kernels/product/avx2_int8.h"

namespace attend::kernels {
namespace {

/// Numbers are multiplied in 16 bits, and two products added in 32: nothing can overflow. (What
/// multiplies in 8 bits takes one factor unsigned and adds in 16, where two of 255 x 127 do not
/// fit.) Weights are widened on the way, so that they take no more memory than their numbers.
struct Avx2Int8 : Avx2Int8Sums {
  using RightUnit = uint16_t;
  static constexpr int64_t kDepth = 2;

  static ATTEND_TARGET_INLINE Right load(const RightUnit* b) {
    return _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(b)));
  }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, Right a, Right b) {
    return sum + reinterpret_cast<Sum>(_mm256_madd_epi16(a, b));
  }
};

}  // namespace

const Int8Kernels& int8_avx2() {
  return int8_kernels<Avx2Int8>();
}

}  // namespace attend::kernels
#endif
