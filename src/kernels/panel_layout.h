#pragma once
/// How operands lie for the products of panels.h. For CPUs with AVX-512, which has_panels() knows;
/// ATTEND_AVX512 is defined where the compiler can make code for them.
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/gemm.h"

/// Before what is compiled for AVX-512 alone.
#define ATTEND_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#define ATTEND_AVX512_INLINE ATTEND_AVX512 __attribute__((always_inline)) inline

namespace attend::kernels {

// A product adds up units: a float, or a pair of bf16 numbers of neighbouring k, the first in the
// lower half. `kDepth<Unit>` of k make a unit.
using Pair = uint32_t;
template <class Unit>
inline constexpr int64_t kDepth = 1;
template <>
inline constexpr int64_t kDepth<Pair> = 2;

inline constexpr int64_t kPanelWidth = 32;          // columns of a panel: two vector registers
inline constexpr std::size_t kPanelAlignment = 64;  // bytes

template <class Unit>
constexpr int64_t units_of(int64_t k) {
  return (k + kDepth<Unit> - 1) / kDepth<Unit>;
}
constexpr int64_t panels_of(int64_t columns) {
  return (columns + kPanelWidth - 1) / kPanelWidth;
}

/// The first `count` of 16 lanes, none or all included.
ATTEND_AVX512_INLINE __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>((1U << std::clamp<int64_t>(count, 0, 16)) - 1U);
}

// Units are float or Pair. What a panel has no number for is zero. Numbers are rounded to bf16 to
// the nearest, ties to even; those too small for a normal float become 0. Parts of a matrix begin
// at an even k.

/// A panel [units, 32], aligned, of the columns of x [k, n] from `column` on, for k in [begin,
/// end).
template <class Unit>
ATTEND_AVX512 void lay_out_columns(Matrix<const float> x, int64_t column, int64_t begin,
                                   int64_t end, Unit* to);

/// A panel [units, 32], aligned, of the rows of x [n, k] from `row` on.
template <class Unit>
ATTEND_AVX512 void lay_out_rows(Matrix<const float> x, int64_t row, Unit* to);

/// Rows [begin, end) of x [m, k] for k in [k_begin, k_end), one after the other without gaps.
ATTEND_AVX512 void round_rows(Matrix<const float> x, int64_t begin, int64_t end, int64_t k_begin,
                              int64_t k_end, Pair* to);

}  // namespace attend::kernels
#endif
