#pragma once
#include <cstdint>

namespace attend {

/// Increment of splitmix64's state per number.
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;

/// The output of splitmix64 for a state (Steele, Lea & Flood 2014, "Fast Splittable Pseudorandom
/// Number Generators", OOPSLA, Fig. 14; constants of Vigna's reference code).
[[nodiscard]] constexpr uint64_t splitmix_output(uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// The key of item `number`: element `number` (from 0) of the splitmix64 sequence that starts from
/// `seed`.
[[nodiscard]] constexpr uint64_t numbered_key(uint64_t seed, uint64_t number) {
  return splitmix_output(seed + (number + 1) * kSplitMixStep);
}

}  // namespace attend
