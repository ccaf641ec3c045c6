#include "nn/layer_norm.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

// Rows (1, 3) and (5, 5): means 2 and 5, variances 1 and 0; gain (2, 3), bias (10, 20).
TEST(LayerNorm, FollowsEquation4OfBaEtAl) {
  LayerNorm norm(2);
  norm.to(torch::kFloat64);
  test::set_parameter(norm, "gain", f64({2, 3}, {2}));
  test::set_parameter(norm, "bias", f64({10, 20}, {2}));
  const double unit = 1 / std::sqrt(1 + 1e-5);
  EXPECT_THAT(norm.forward(f64({1, 3, 5, 5}, {2, 2})),
              TensorNear(f64({10 - 2 * unit, 20 + 3 * unit, 10, 20}, {2, 2}), 1e-12));
}

// x = (4, 0) with the summands (1, 3), (3, -3): mean 2, variance 4. Without their means these are
// (-1, 1) and (3, -3).
TEST(LayerNorm, SharesItsOutputAmongSummandsByHand) {
  LayerNorm norm(2);
  norm.to(torch::kFloat64);
  test::set_parameter(norm, "gain", f64({2, 3}, {2}));
  test::set_parameter(norm, "bias", f64({10, 20}, {2}));
  const double unit = 1 / std::sqrt(4 + 1e-5);
  const torch::Tensor x = f64({4, 0}, {1, 2});
  const torch::Tensor shares = norm.share(f64({1, 3, 3, -3}, {2, 2}), x);
  EXPECT_THAT(shares, TensorNear(f64({-2 * unit, 3 * unit, 6 * unit, -9 * unit}, {2, 2}), 1e-12));
  EXPECT_THAT(shares.sum(0) + test::parameter(norm, "bias"), TensorNear(norm.forward(x)[0], 1e-12));
}

TEST(LayerNorm, StartsWithGainOneAndBiasZero) {
  LayerNorm norm(3);
  test::randomize(norm, 5);
  norm.initialize(at::detail::createCPUGenerator(1));
  EXPECT_THAT(test::parameter(norm, "gain"), TensorEq(f64({1, 1, 1}, {3})));
  EXPECT_THAT(test::parameter(norm, "bias"), TensorEq(f64({0, 0, 0}, {3})));
}

TEST(LayerNorm, HasTheGradientsOfCentralDifferences) {
  LayerNorm norm(4);
  test::randomize(norm, 5);
  const auto x = random_f64({2, 3, 4}, 6);
  EXPECT_LT(test::max_gradient_error([&] { return norm.forward(x); }, test::leaves(norm, {x})),
            1e-6);
}

}  // namespace
}  // namespace attend::nn
