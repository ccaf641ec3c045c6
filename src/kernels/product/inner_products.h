#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/cpu/compiler.h"

namespace attend::kernels {

/// Number of right sides of inner_products().
constexpr int kRightSides = 4;

/// Explicit vectors, which every compiler keeps in registers.
using EightFloats __attribute__((vector_size(32))) = float;
constexpr int64_t kEight = 8;

/// Loads x[0 .. count), at most eight, followed by zeros. (Not a return value: how vectors are
/// returned depends on the target that a function is compiled for.)
ATTEND_ALWAYS_INLINE void load(const float* x, int64_t count, EightFloats& to) {
  if (count >= kEight) {
    std::memcpy(&to, x, sizeof(to));
    return;
  }
  float padded[kEight] = {};
  for (int64_t k = 0; k < count; ++k) padded[k] = x[k];
  std::memcpy(&to, padded, sizeof(to));
}

/// to[i] = the sum of sums[i], added pairwise.
ATTEND_ALWAYS_INLINE void add_up(const EightFloats (&sums)[kRightSides], float* to) {
  EightFloats halves[2];
  for (int64_t i = 0; i < 2; ++i) {
    const EightFloats &a = sums[2 * i], &b = sums[2 * i + 1];
    halves[i] = ATTEND_SHUFFLED(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
                ATTEND_SHUFFLED(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  }
  const EightFloats &ab = halves[0], &cd = halves[1];
  const EightFloats quarters = ATTEND_SHUFFLED(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                               ATTEND_SHUFFLED(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  for (int i = 0; i < kRightSides; ++i) to[i] = quarters[i] + quarters[i + kRightSides];
}

/// to[r * kRightSides + c] = left row r . right[c], for rows of `count` numbers; rows of `left` are
/// `stride` apart. Each result depends only on its own two rows, to the last bit.
template <int kRows>
ATTEND_ALWAYS_INLINE void inner_products(const float* left, int64_t stride,
                                         const float* const* right, int64_t count, float* to) {
  EightFloats sums[kRows][kRightSides] = {};
  const auto add = [&](int64_t k, int64_t some) __attribute__((always_inline)) {
    EightFloats factors[kRightSides];
    ATTEND_UNROLLED(4)
    for (int c = 0; c < kRightSides; ++c) load(right[c] + k, some, factors[c]);
    ATTEND_UNROLLED(4)
    for (int r = 0; r < kRows; ++r) {
      EightFloats row;
      load(left + r * stride + k, some, row);
      ATTEND_UNROLLED(4)
      for (int c = 0; c < kRightSides; ++c) sums[r][c] += row * factors[c];
    }
  };
  int64_t k = 0;
  for (; k + kEight <= count; k += kEight) add(k, kEight);
  if (k < count) add(k, count - k);
  ATTEND_UNROLLED(4)
  for (int64_t r = 0; r < kRows; ++r) add_up(sums[r], to + r * kRightSides);
}

}  // namespace attend::kernels
