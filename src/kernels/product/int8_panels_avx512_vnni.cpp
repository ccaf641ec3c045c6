#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_PANELS
#define ATTEND_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#include "kernels/product/avx512_int8.h"

namespace attend::kernels {
namespace {

/// Adds four products of uint8 and int8 to a 32-bit sum at once. The sum may overflow; subtracting
/// the offset undoes the overflow.
struct Avx512VnniInt8 : Avx512Int8Sums {
  using RightUnit = Int8Group;
  static constexpr int64_t kDepth = 4;

  static ATTEND_TARGET_INLINE Right load(const RightUnit* b) { return _mm512_load_si512(b); }
  static ATTEND_TARGET_INLINE Sum add_product(Sum sum, Right a, Right b) {
    return reinterpret_cast<Sum>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), a, b));
  }
};

}  // namespace

const Int8Kernels& int8_avx512_vnni() {
  return int8_kernels<Avx512VnniInt8>();
}

}  // namespace attend::kernels
#endif
