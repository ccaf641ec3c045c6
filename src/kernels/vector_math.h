#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

/// Functions of one number that the compiler turns into vector code when they stand in a loop. For
/// double they are the standard library's: that type is there to check the mathematics.
namespace attend::kernels {

#define ATTEND_ALWAYS_INLINE inline __attribute__((always_inline))

/// e^x. float: 2 ulp; x is first limited to +-87, where the result is a normal number.
ATTEND_ALWAYS_INLINE float exponential(float x) {
  constexpr float kRoundingShift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  x = std::min(std::max(x, -87.0F), 87.0F);
  const float shifted = x * 1.44269504F + kRoundingShift;
  const float whole = shifted - kRoundingShift;
  // x - whole * ln 2, with ln 2 in two parts (Cody & Waite 1980).
  const float rest = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;
  // The Taylor series of e^rest to the 7th power: |rest| <= ln(2) / 2, so its error is below 1e-8.
  float sum = 1.0F / 5040.0F;
  sum = sum * rest + 1.0F / 720.0F;
  sum = sum * rest + 1.0F / 120.0F;
  sum = sum * rest + 1.0F / 24.0F;
  sum = sum * rest + 1.0F / 6.0F;
  sum = sum * rest + 0.5F;
  sum = sum * rest + 1.0F;
  sum = sum * rest + 1.0F;
  const uint32_t power = (std::bit_cast<uint32_t>(shifted) << 23U) + 0x3f800000U;
  return sum * std::bit_cast<float>(power);
}

ATTEND_ALWAYS_INLINE double exponential(double x) {
  return std::exp(x);
}

/// 1 / (1 + e^-x).
template <class T>
ATTEND_ALWAYS_INLINE T sigmoid(T x) {
  return T(1) / (T(1) + exponential(-x));
}

/// tanh x. float: below 0.6 by Lambert's continued fraction, beyond it by e^2x; 4 ulp.
ATTEND_ALWAYS_INLINE float hyperbolic_tangent(float x) {
  const float size = std::fabs(x);
  // Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + x^2 / (7 + x^2 / 9)))).
  const float square = x * x;
  const float small =
      x * (945.0F + square * (105.0F + square)) / (945.0F + square * (420.0F + square * 15.0F));
  const float large = std::copysign(1.0F - 2.0F / (exponential(2.0F * size) + 1.0F), x);
  return size < 0.6F ? small : large;
}

ATTEND_ALWAYS_INLINE double hyperbolic_tangent(double x) {
  return std::tanh(x);
}

}  // namespace attend::kernels
