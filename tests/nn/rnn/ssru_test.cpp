#include "nn/rnn/ssru.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

/// W = 2, W_f = 0, b = log 3, so that each step keeps three quarters.
std::shared_ptr<Ssru> three_quarters() {
  auto made = std::make_shared<Ssru>(1);
  made->to(torch::kFloat64);
  test::set_parameter(*made, "input.weight", f64({2}, {1, 1}));
  test::set_parameter(*made, "forget.weight", f64({0}, {1, 1}));
  test::set_parameter(*made, "forget.bias", f64({std::log(3.0)}, {1}));
  return made;
}

// x = 1, -4: c = 1/4 * 2, then 3/4 * 1/2 - 1/4 * 8.
TEST(Ssru, EqualsItsEquationsByHand) {
  const Ssru::Output output = three_quarters()->forward(f64({1, -4}, {1, 2, 1}), {});
  EXPECT_THAT(output.outputs, TensorNear(f64({0.5, 0}, {1, 2, 1}), 1e-12));
  EXPECT_THAT(output.cell, TensorNear(f64({-1.625}, {1, 1}), 1e-12));
}

// The same, starting from a cell of 4: 3 + 1/2, then 3/4 * 7/2 - 2.
TEST(Ssru, GoesOnFromACell) {
  const Ssru::Output output = three_quarters()->forward(f64({1, -4}, {1, 2, 1}), f64({4}, {1, 1}));
  EXPECT_THAT(output.outputs, TensorNear(f64({3.5, 0.625}, {1, 2, 1}), 1e-12));
  EXPECT_THAT(output.cell, TensorNear(f64({0.625}, {1, 1}), 1e-12));
}

// W_f = log 3 instead: f = sigmoid(log 3 + log 3) = 9/10 for x = 1.
TEST(Ssru, ForgetsByItsInput) {
  const auto ssru = three_quarters();
  test::set_parameter(*ssru, "forget.weight", f64({std::log(3.0)}, {1, 1}));
  EXPECT_THAT(ssru->forward(f64({1}, {1, 1, 1}), f64({10}, {1, 1})).outputs,
              TensorNear(f64({9 + 0.2}, {1, 1, 1}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
