#pragma once
#include <cstdint>

#include "kernels/compiler.h"

namespace attend::kernels {

/// Counters that are turned into random words together, so that the compiler may use vectors.
constexpr int64_t kRandomLanes = 16;

/// Four random words of each of kRandomLanes counters: the first ones, the second ones and so on.
struct RandomWords {
  uint32_t words[4 * kRandomLanes];
};

/// The hash pcg4d (Jarzynski & Olano 2020, "Hash Functions for GPU Rendering", JCGT 9(3), Sec. 3)
/// of the vectors (low, high half of the counter; low, high half of the key) for the counters
/// first, first + 1, ...: a random number without a stream, of 32-bit products alone.
ATTEND_ALWAYS_INLINE void random_words(uint64_t first, uint64_t key, RandomWords& block) {
  const auto low_key = static_cast<uint32_t>(key), high_key = static_cast<uint32_t>(key >> 32U);
  for (int64_t lane = 0; lane < kRandomLanes; ++lane) {
    const uint64_t counter = first + static_cast<uint64_t>(lane);
    uint32_t x = static_cast<uint32_t>(counter) * 1664525U + 1013904223U;
    uint32_t y = static_cast<uint32_t>(counter >> 32U) * 1664525U + 1013904223U;
    uint32_t z = low_key * 1664525U + 1013904223U;
    uint32_t w = high_key * 1664525U + 1013904223U;
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
    block.words[lane] = x;
    block.words[kRandomLanes + lane] = y;
    block.words[2 * kRandomLanes + lane] = z;
    block.words[3 * kRandomLanes + lane] = w;
  }
}

/// A key for one of many by their numbers, from a seed: splitmix64 (Steele, Lea & Flood 2014,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA, Fig. 14) from `seed` on, the number
/// `number` + 1 of its sequence.
ATTEND_ALWAYS_INLINE uint64_t numbered_key(uint64_t seed, uint64_t number) {
  uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace attend::kernels
