#pragma once
/// Eight lanes of AVX2, shared by the instruction sets for float and int8. See panel_tile.h for
/// ATTEND_TARGET.
#include <immintrin.h>

#include "kernels/product/gemm.h"
#include "kernels/product/panel_tile.h"

namespace attend::kernels {
namespace {

/// Tiles leave four of the 16 registers for the operands.
struct Avx2Lanes {
  static constexpr int64_t kLanes = 8, kTileRows = 6, kLeftWidth = 24, kBlockRows = 120;

  /// A mask of the first `count` of 8 lanes; any `count`.
  static ATTEND_TARGET_INLINE __m256i first_lanes(int64_t count) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto clamped = static_cast<int>(std::clamp<int64_t>(count, 0, kLanes));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(clamped), lanes);
  }

  static ATTEND_TARGET_INLINE __m256 load_some(const float* x, int64_t count) {
    return count >= kLanes ? _mm256_loadu_ps(x) : _mm256_maskload_ps(x, first_lanes(count));
  }
  static ATTEND_TARGET_INLINE void store_some(float* x, __m256 values, int64_t count) {
    // Masked stores take several times as long as full ones.
    count >= kLanes ? _mm256_storeu_ps(x, values)
                    : _mm256_maskstore_ps(x, first_lanes(count), values);
  }
};

}  // namespace
}  // namespace attend::kernels
