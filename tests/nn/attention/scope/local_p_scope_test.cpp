#include "nn/attention/scope/local_p_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/attention/attention.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

/// Weights [4] over 4 words with zero energies and v^T tanh(W q) = `guide`.
torch::Tensor weights(int64_t window, double guide) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.scope = ScopeKind::local_p;
  options.window = window;
  options.size = 1;
  Attention attention(options, 1, 1);
  attention.to(torch::kFloat64);
  test::set_parameter(attention, "scope.weight", f64({1e9}, {1, 1}));  // tanh(W q) = 1
  test::set_parameter(attention, "scope.vector", f64({guide}, {1}));
  const auto zeros = torch::zeros({1, 4, 1}, torch::kFloat64);
  const auto lengths = torch::full({1}, 4, torch::kInt64);
  const PreparedMemory memory =
      attention.prepare({zeros, zeros, test::mask_of(lengths, 4), lengths});
  return attention.attend(f64({1}, {1, 1, 1}), memory, {}, 0, 0.0).weights.view({4});
}

// p = 4 sigma(0) = 2, D = 2: all four words are within 2; the deviation is 1.
TEST(LocalPredictiveScope, EqualsLuongEquation10ByHand) {
  EXPECT_THAT(weights(2, 0.0),
              TensorNear(f64({std::exp(-2.0), std::exp(-0.5), 1, std::exp(-0.5)}, {4}) / 4, 1e-12));
}

// D = 1: words 1, 2, 3 share the weight; deviation 1/2, exp(-1 / (2 / 4)) = exp(-2).
TEST(LocalPredictiveScope, GivesNothingOutsideTheWindow) {
  EXPECT_THAT(weights(1, 0.0),
              TensorNear(f64({0, std::exp(-2.0), 1, std::exp(-2.0)}, {4}) / 3, 1e-12));
}

// p = 4 sigma(log 3) = 3.
TEST(LocalPredictiveScope, LooksWhereTheQuerySays) {
  EXPECT_THAT(weights(1, std::log(3.0)),
              TensorNear(f64({0, 0, std::exp(-2.0), 1}, {4}) / 2, 1e-12));
}

}  // namespace
}  // namespace attend::nn
