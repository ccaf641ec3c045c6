#include "nn/attention/scope/local_m_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

/// Weights [T, 5] of the target positions from `position` on, over a sentence of `length` words.
/// All energies are zero, so all visible positions get the same weight.
torch::Tensor weights(int64_t window, int64_t length, int64_t steps, int64_t position) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.scope = ScopeKind::local_m;
  options.window = window;
  const Attention attention(options, 1, 1);
  const auto zeros = torch::zeros({1, 5, 1}, torch::kFloat64);
  const auto lengths = torch::full({1}, length, torch::kInt64);
  const PreparedMemory memory =
      attention.prepare({zeros, zeros, test::mask_of(lengths, 5), lengths});
  return attention.attend(zeros.slice(1, 0, steps), memory, {}, position, 0.0).weights.squeeze(0);
}

TEST(LocalMonotonicScope, SeesAWindowAroundTheTargetPosition) {
  const double half = 0.5, third = 1.0 / 3;
  EXPECT_THAT(
      weights(1, 5, 3, 0),
      TensorNear(
          f64({half, half, 0, 0, 0, third, third, third, 0, 0, 0, third, third, third, 0}, {3, 5}),
          1e-12));
}

TEST(LocalMonotonicScope, StaysAtTheEndOfTheSentence) {
  EXPECT_THAT(weights(1, 5, 1, 9), TensorNear(f64({0, 0, 0, 0.5, 0.5}, {1, 5}), 1e-12));
  EXPECT_THAT(weights(1, 3, 1, 9), TensorNear(f64({0, 0.5, 0.5, 0, 0}, {1, 5}), 1e-12));
}

TEST(LocalMonotonicScope, MayBeWiderThanTheSentence) {
  const double third = 1.0 / 3;
  EXPECT_THAT(weights(2, 3, 1, 1), TensorNear(f64({third, third, third, 0, 0}, {1, 5}), 1e-12));
  EXPECT_THAT(weights(9, 5, 1, 1), TensorNear(f64({0.2, 0.2, 0.2, 0.2, 0.2}, {1, 5}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
