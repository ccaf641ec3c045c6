#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/cpu/compiler.h"

/// Functions of one number that the compiler vectorizes inside a loop. For double, which serves to
/// check the mathematics, they call the standard library.
namespace attend::kernels {

/// e^x. In float the error is at most 2 ulp, and x is limited to +-87, where the result is normal.
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

/// tanh x. In float the error is at most 4 ulp: x P(x^2) / Q(x^2) with P and Q of degree 4, fitted
/// by least squares of the relative error, below 6e-9 for |x| <= 7.9; else +-1.
ATTEND_ALWAYS_INLINE float hyperbolic_tangent(float x) {
  const float square = x * x;
  float above = 1.54286912e-08F;
  above = above * square + 2.2023755e-05F;
  above = above * square + 0.00357902293F;
  above = above * square + 0.134506466F;
  above = above * square + 1.0F;
  float below = 8.599071e-07F;
  below = below * square + 0.00034237011F;
  below = below * square + 0.0261923556F;
  below = below * square + 0.467839747F;
  below = below * square + 1.0F;
  const float inside = x * above / below;
  return std::fabs(x) > 7.9F ? std::copysign(1.0F, x) : inside;
}

ATTEND_ALWAYS_INLINE double hyperbolic_tangent(double x) {
  return std::tanh(x);
}

}  // namespace attend::kernels
