#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx2,fma,avxvnni")))
#include "kernels/product/avx2_int8.h"

namespace attend::kernels {
namespace {

/// Adds four products of uint8 and int8 to a 32-bit sum at once. The sum may overflow; subtracting
/// the offset undoes the overflow.
struct Avx2VnniInt8 : Avx2Int8Sums {
  using RightUnit = Int8Group;
  static constexpr int64_t kDepth = 4;

  static ATTEND_TARGET_INLINE Right load(const RightUnit* b) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(b));
  }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, Right a, Right b) {
    return reinterpret_cast<Sum>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), a, b));
  }
};

}  // namespace

const Int8Kernels& int8_avx2_vnni() {
  return int8_kernels<Avx2VnniInt8>();
}

}  // namespace attend::kernels
#endif
