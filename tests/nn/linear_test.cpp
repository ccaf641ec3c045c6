#include "nn/linear.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::set_parameter;
using test::TensorEq;

/// W = (1 0 2; 0 3 0), three inputs, two outputs.
std::shared_ptr<Linear> two_by_three(bool bias) {
  auto linear = std::make_shared<Linear>(3, 2, bias);
  linear->to(torch::kFloat64);
  set_parameter(*linear, "weight", f64({1, 0, 2, 0, 3, 0}, {2, 3}));
  if (bias) set_parameter(*linear, "bias", f64({10, 20}, {2}));
  return linear;
}

// x = (1, 2, 3): W x = (7, 6).
TEST(Linear, AddsTheBiasToTheProduct) {
  EXPECT_THAT(two_by_three(true)->forward(f64({1, 2, 3}, {1, 1, 3})),
              TensorEq(f64({17, 26}, {1, 1, 2})));
}

TEST(Linear, HasNoBiasUnlessAskedFor) {
  const auto linear = two_by_three(false);
  EXPECT_THAT(linear->forward(f64({1, 2, 3}, {1, 3})), TensorEq(f64({7, 6}, {1, 2})));
  EXPECT_FALSE(linear->bias().defined());
  EXPECT_THAT(test::parameter_names(*linear), testing::ElementsAre("weight"));
}

TEST(Linear, AddsItsProductToASum) {
  const auto sum = f64({100, 200}, {1, 2});
  EXPECT_THAT(two_by_three(false)->added_to(sum, f64({1, 2, 3}, {1, 3})),
              TensorEq(f64({107, 206}, {1, 2})));
}

TEST(Linear, StartsWithXavierWeightsAndNoBias) {
  const auto linear = two_by_three(true);
  linear->initialize(at::detail::createCPUGenerator(4));
  EXPECT_THAT(linear->bias(), TensorEq(f64({0, 0}, {2})));
  EXPECT_LE(linear->weight().abs().max().item<double>(), std::sqrt(6.0 / 5));
  EXPECT_EQ(linear->weight().eq(0.0).sum().item<int64_t>(), 0);
}

TEST(Linear, StartsWithSmallerWeightsForASmallerGain) {
  const auto usual = two_by_three(false), smaller = two_by_three(false);
  smaller->set_gain(0.5);
  usual->initialize(at::detail::createCPUGenerator(4));
  smaller->initialize(at::detail::createCPUGenerator(4));
  EXPECT_THAT(smaller->weight(), TensorEq(usual->weight() * 0.5));
}

}  // namespace
}  // namespace attend::nn
