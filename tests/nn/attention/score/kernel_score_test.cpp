#include "nn/attention/score/kernel_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

/// A = 2, H = 1, C = 2: W_q = (1; -1), W_k the identity.
std::shared_ptr<AttentionScore> kernel_example() {
  AttentionOptions options;
  options.size = 2;
  const auto score = test::score_f64(ScoreKind::kernel, {1, 2}, options);
  test::set_parameter(*score, "query_weight", f64({1, -1}, {2, 1}));
  test::set_parameter(*score, "key_weight", f64({1, 0, 0, 1}, {2, 2}));
  return score;
}

// q = 1: phi(1, -1) = (2, 1/e). k_1 = (0, 2): phi = (1, 3), value 2 + 3/e.
// k_2 = (-1, 0): phi = (1/e, 1), value 3/e.
TEST(KernelScore, IsTheLogarithmOfTheKernelByHand) {
  const double e = std::exp(1.0);
  const auto energies =
      test::energies(*kernel_example(), f64({1}, {1, 1}), f64({0, 2, -1, 0}, {2, 2}));
  EXPECT_THAT(energies, TensorNear(f64({std::log(2 + 3 / e), std::log(3 / e)}, {1, 2}), 1e-12));
  // Under softmax: value over the sum of values.
  EXPECT_THAT(energies.softmax(1)[0][1], TensorNear(f64({3 / e / (2 + 6 / e)}, {}), 1e-12));
}

TEST(KernelScore, StaysFiniteWhereTheKernelUnderflows) {
  const auto energies =
      test::energies(*kernel_example(), f64({-900}, {1, 1}), f64({-900, -900}, {1, 2}));
  EXPECT_TRUE(energies.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace attend::nn
