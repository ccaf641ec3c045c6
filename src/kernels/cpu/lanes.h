#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/cpu/vector_math.h"

namespace attend::kernels {

/// Sums are split into this many lanes so that the compiler can vectorize them: it does not reorder
/// floating-point sums by itself.
constexpr int64_t kLanes = 16;

/// The sum of term(k) for 0 <= k < count, always in the same order.
template <class T, class Term>
ATTEND_ALWAYS_INLINE T sum_of(int64_t count, const Term& term) {
  T lanes[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(k + lane);
  }
  if (k + kLanes / 2 <= count) {
    for (int64_t lane = 0; lane < kLanes / 2; ++lane) lanes[lane] += term(k + lane);
    k += kLanes / 2;
  }
  T sum = 0;
  for (; k < count; ++k) sum += term(k);
  // Pairwise: adding lane by lane would take longer than the rest of a short sum.
  ATTEND_UNROLLED(4)
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return sum + lanes[0];
}

/// The inner product a . b of `count` numbers.
template <class T>
ATTEND_ALWAYS_INLINE T inner_product(int64_t count, const T* a, const T* b) {
  return sum_of<T>(
      count, [&](int64_t k) __attribute__((always_inline)) { return a[k] * b[k]; });
}

/// The largest of x[0 .. count). Requires: count >= 1.
template <class T>
ATTEND_ALWAYS_INLINE T largest_of(const T* x, int64_t count) {
  // Uses explicit vectors, since GCC does not vectorize comparisons; 16 bytes suit every processor.
  using Vector __attribute__((vector_size(16))) = T;
  constexpr int64_t kInVector = 16 / sizeof(T);
  Vector vectors[kLanes / kInVector];
  for (Vector& vector : vectors) vector = x[0] - Vector{};
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t i = 0; i < kLanes / kInVector; ++i) {
      Vector next;
      std::memcpy(&next, x + k + i * kInVector, sizeof(next));
      vectors[i] = next > vectors[i] ? next : vectors[i];
    }
  }
  T largest = x[0];
  for (; k < count; ++k) largest = x[k] > largest ? x[k] : largest;
  // Compares pairwise, so that the comparisons are independent.
  ATTEND_UNROLLED(4)
  for (int64_t width = kLanes / kInVector / 2; width > 0; width /= 2) {
    for (int64_t i = 0; i < width; ++i) {
      vectors[i] = vectors[i + width] > vectors[i] ? vectors[i + width] : vectors[i];
    }
  }
  for (int64_t i = 0; i < kInVector; ++i) {
    largest = vectors[0][i] > largest ? vectors[0][i] : largest;
  }
  return largest;
}

}  // namespace attend::kernels
