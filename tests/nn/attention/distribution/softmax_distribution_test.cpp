#include "nn/attention/distribution/softmax_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorEq;
using test::TensorNear;

torch::Tensor weights(double temperature, const std::vector<double>& energies,
                      const std::vector<int64_t>& mask) {
  AttentionOptions options;
  options.temperature = temperature;
  const auto size = static_cast<int64_t>(energies.size());
  return SoftmaxDistribution(options).weights(f64(energies, {1, 1, size}),
                                              torch::tensor(mask, torch::kBool).view({1, 1, size}));
}

// exp(0) : exp(ln 3) = 1 : 3.
TEST(SoftmaxDistribution, SharesByTheExponentials) {
  EXPECT_THAT(weights(1.0, {0, std::log(3.0)}, {1, 1}),
              TensorNear(f64({0.25, 0.75}, {1, 1, 2}), 1e-12));
}

// Doubled energies at temperature 2 give the same weights; temperature 1/2 squares the ratio 1 : 3.
TEST(SoftmaxDistribution, DividesEnergiesByTheTemperature) {
  EXPECT_THAT(weights(2.0, {0, 2 * std::log(3.0)}, {1, 1}),
              TensorNear(f64({0.25, 0.75}, {1, 1, 2}), 1e-12));
  EXPECT_THAT(weights(0.5, {0, std::log(3.0)}, {1, 1}),
              TensorNear(f64({0.1, 0.9}, {1, 1, 2}), 1e-12));
}

TEST(SoftmaxDistribution, SkipsWhatTheMaskHides) {
  EXPECT_THAT(weights(1.0, {0, 50, std::log(3.0), -9}, {1, 0, 1, 0}),
              TensorNear(f64({0.25, 0, 0.75, 0}, {1, 1, 4}), 1e-12));
}

TEST(SoftmaxDistribution, IsZeroForARowWithoutAnyPosition) {
  EXPECT_THAT(weights(1.0, {1, 2, 3}, {0, 0, 0}), TensorEq(f64({0, 0, 0}, {1, 1, 3})));
}

TEST(SoftmaxDistribution, StaysFiniteForLargeEnergies) {
  EXPECT_THAT(weights(1.0, {1e8, 0, -1e8}, {1, 1, 1}), TensorEq(f64({1, 0, 0}, {1, 1, 3})));
}

}  // namespace
}  // namespace attend::nn
