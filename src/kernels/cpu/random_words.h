#pragma once
#include <cstdint>

#include "kernels/cpu/compiler.h"

namespace attend::kernels {

/// Number of counters hashed together, so that the compiler can vectorize.
constexpr int64_t kRandomLanes = 16;

/// Four random 32-bit numbers (words) for each of kRandomLanes counters: all first words, then all
/// second words, etc.
struct RandomWords {
  uint32_t words[4 * kRandomLanes];
};

/// The four random numbers of one counter.
struct FourWords {
  uint32_t x, y, z, w;
};

/// The hash pcg4d (Jarzynski & Olano 2020, "Hash Functions for GPU Rendering", JCGT 9(3), Sec. 3)
/// of the vector (low, high half of the counter; low, high half of the key). It needs no state and
/// only 32-bit products.
ATTEND_ALWAYS_INLINE FourWords four_words(uint64_t counter, uint64_t key) {
  uint32_t x = static_cast<uint32_t>(counter) * 1664525U + 1013904223U;
  uint32_t y = static_cast<uint32_t>(counter >> 32U) * 1664525U + 1013904223U;
  uint32_t z = static_cast<uint32_t>(key) * 1664525U + 1013904223U;
  uint32_t w = static_cast<uint32_t>(key >> 32U) * 1664525U + 1013904223U;
  x += y * w;
  y += z * x;
  z += x * y;
  w += y * z;
  x ^= x >> 16U;
  y ^= y >> 16U;
  z ^= z >> 16U;
  w ^= w >> 16U;
  x += y * w;
  y += z * x;
  z += x * y;
  w += y * z;
  return {x, y, z, w};
}

/// Hashes the counters first, first + 1, ...
ATTEND_ALWAYS_INLINE void random_words(uint64_t first, uint64_t key, RandomWords& block) {
  for (int64_t lane = 0; lane < kRandomLanes; ++lane) {
    const FourWords four = four_words(first + static_cast<uint64_t>(lane), key);
    block.words[lane] = four.x;
    block.words[kRandomLanes + lane] = four.y;
    block.words[2 * kRandomLanes + lane] = four.z;
    block.words[3 * kRandomLanes + lane] = four.w;
  }
}

}  // namespace attend::kernels
