#include "kernels/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace attend::kernels {
namespace {

/// The largest relative error of `ours` against `theirs` on a fine grid of [from, to].
template <class Ours, class Theirs>
double largest_error(double from, double to, Ours ours, Theirs theirs) {
  constexpr int kPoints = 200001;
  double largest = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const auto x = static_cast<float>(from + (to - from) * i / (kPoints - 1));
    if (x == 0.0F) continue;
    const double expected = theirs(static_cast<double>(x));
    largest = std::max(largest, std::fabs(static_cast<double>(ours(x)) / expected - 1.0));
  }
  return largest;
}

constexpr double kUlp = 1.2e-7;  // relative, of a float

TEST(Exponential, StaysWithinTwoUlpOfTheStandardLibrary) {
  const auto ours = [](float x) { return exponential(x); };
  const auto theirs = [](double x) { return std::exp(x); };
  EXPECT_LT(largest_error(-87.0, 87.0, ours, theirs), 2 * kUlp);
  EXPECT_LT(largest_error(-1.0, 1.0, ours, theirs), 2 * kUlp);
}

TEST(Exponential, StopsShortOfOverflowAndOfDenormalNumbers) {
  EXPECT_EQ(exponential(1000.0F), exponential(87.0F));
  EXPECT_GE(exponential(-1000.0F), std::numeric_limits<float>::min());
  EXPECT_EQ(exponential(0.0F), 1.0F);
}

TEST(HyperbolicTangent, StaysWithinFourUlpOfTheStandardLibrary) {
  const auto ours = [](float x) { return hyperbolic_tangent(x); };
  const auto theirs = [](double x) { return std::tanh(x); };
  EXPECT_LT(largest_error(-1.0, 1.0, ours, theirs), 4 * kUlp);
  EXPECT_LT(largest_error(-20.0, 20.0, ours, theirs), 4 * kUlp);
  EXPECT_LT(largest_error(-1e-6, 1e-6, ours, theirs), 4 * kUlp);
}

TEST(HyperbolicTangent, IsOddAndEndsAtOne) {
  EXPECT_EQ(hyperbolic_tangent(0.0F), 0.0F);
  EXPECT_EQ(hyperbolic_tangent(50.0F), 1.0F);
  EXPECT_EQ(hyperbolic_tangent(-50.0F), -1.0F);
  EXPECT_EQ(hyperbolic_tangent(-0.7F), -hyperbolic_tangent(0.7F));
}

TEST(Sigmoid, StaysWithinFourUlpOfItsFormula) {
  const auto ours = [](float x) { return sigmoid(x); };
  const auto theirs = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  EXPECT_LT(largest_error(-80.0, 80.0, ours, theirs), 4 * kUlp);
}

TEST(Functions, PropagateNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(sigmoid(nan)));
  EXPECT_TRUE(std::isnan(hyperbolic_tangent(nan)));
}

}  // namespace
}  // namespace attend::kernels
