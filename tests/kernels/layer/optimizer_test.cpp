#include "kernels/layer/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kParameters = 41;

template <class T>
class OptimizerTest : public testing::Test {};
TYPED_TEST_SUITE(OptimizerTest, FloatAndDouble);

/// Squares, so that no number is negative.
template <class T>
std::vector<T> squares(int64_t count, unsigned seed) {
  std::vector<T> x = noise<T>(count, seed);
  for (T& value : x) value *= value;
  return x;
}

TYPED_TEST(OptimizerTest, AdamComputesItsFormula) {
  using T = TypeParam;
  std::vector<T> p = noise<T>(kParameters, 1), d = noise<T>(kParameters, 2),
                 m = noise<T>(kParameters, 3);
  std::vector<T> v = squares<T>(kParameters, 4);
  const auto p0 = p, d0 = d, m0 = m, v0 = v;
  AdamStep<T> step{.count = kParameters,
                   .values = p.data(),
                   .gradients = d.data(),
                   .mean = m.data(),
                   .square = v.data()};
  step.scale = 0.5;
  step.shrink = 0.9;
  step.decay = 0.25;
  step.beta1 = 0.75;
  step.beta2 = 0.875;
  step.step_size = 0.125;
  step.epsilon = 0.0625;
  adam_step(step);
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double g = 0.5 * d0[i] + 0.25 * p0[i];
    const double mean = 0.75 * m0[i] + 0.25 * g, square = 0.875 * v0[i] + 0.125 * g * g;
    EXPECT_NEAR(m[i], mean, kTolerance<T>);
    EXPECT_NEAR(v[i], square, kTolerance<T>);
    EXPECT_NEAR(p[i], 0.9 * p0[i] - 0.125 * mean / (std::sqrt(square) + 0.0625), kTolerance<T>);
    EXPECT_EQ(d[i], T(0));
  }
}

TYPED_TEST(OptimizerTest, MomentumComputesItsFormulaWithAndWithoutVelocity) {
  using T = TypeParam;
  for (const bool with_velocity : {true, false}) {
    std::vector<T> p = noise<T>(kParameters, 1), d = noise<T>(kParameters, 2),
                   b = noise<T>(kParameters, 3);
    const auto p0 = p, d0 = d, b0 = b;
    MomentumStep<T> step{kParameters, p.data(), d.data(), with_velocity ? b.data() : nullptr};
    step.scale = 0.5;
    step.decay = 0.25;
    step.momentum = 0.75;
    step.rate = 0.125;
    momentum_step(step);
    for (std::size_t i = 0; i < kParameters; ++i) {
      const double g = 0.5 * d0[i] + 0.25 * p0[i] + (with_velocity ? 0.75 * b0[i] : 0.0);
      EXPECT_NEAR(p[i], p0[i] - 0.125 * g, kTolerance<T>);
      EXPECT_NEAR(b[i], with_velocity ? g : b0[i], kTolerance<T>);
      EXPECT_EQ(d[i], T(0));
    }
  }
}

}  // namespace
}  // namespace attend::kernels
