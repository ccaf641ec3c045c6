#pragma once
#include <cstdint>

namespace attend {

/// How far splitmix64's state moves from one number to the next.
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;

/// What splitmix64 makes of a state (Steele, Lea & Flood 2014, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA, Fig. 14; constants of Vigna's reference code).
[[nodiscard]] constexpr uint64_t splitmix_output(uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// A key for one of many by their numbers, from a seed: number `number` + 1 of the sequence of
/// splitmix64 from `seed` on.
[[nodiscard]] constexpr uint64_t numbered_key(uint64_t seed, uint64_t number) {
  return splitmix_output(seed + (number + 1) * kSplitMixStep);
}

}  // namespace attend
