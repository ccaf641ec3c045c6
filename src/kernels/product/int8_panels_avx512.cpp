#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#include "kernels/product/avx512_int8.h"

namespace attend::kernels {
namespace {

/// Multiplies in 16 bits and adds pairs of products in 32 bits, which cannot overflow.
/// (Instructions that multiply in 8 bits take one unsigned factor and add in 16 bits, where two
/// products of 255 x 127 do not fit.) Weights stay int8 in memory and are widened when loaded.
struct Avx512Int8 : Avx512Int8Sums {
  using RightUnit = uint16_t;
  static constexpr int64_t kDepth = 2;

  static ATTEND_TARGET_INLINE Right load(const RightUnit* b) {
    return _mm512_cvtepi8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(b)));
  }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, Right a, Right b) {
    return sum + reinterpret_cast<Sum>(_mm512_madd_epi16(a, b));
  }
};

}  // namespace

const Int8Kernels& int8_avx512() {
  return int8_kernels<Avx512Int8>();
}

}  // namespace attend::kernels
#endif
