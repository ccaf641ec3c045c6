#include "nn/attention/score/activated_general_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;

// q^T W = (1 2) (0.5 0; 0 0.25) = (0.5 0.5); k_1 = (1 0) and k_2 = (1 -3): tanh(0.5 + 0.2) and
// tanh(-1 + 0.2).
TEST(ActivatedGeneralScore, EqualsItsFormulaByHand) {
  const auto score = test::score_f64(ScoreKind::activated_general, {2, 2});
  test::set_parameter(*score, "weight", f64({0.5, 0, 0, 0.25}, {2, 2}));
  test::set_parameter(*score, "bias", f64({0.2}, {1}));
  EXPECT_THAT(test::energies(*score, f64({1, 2}, {1, 2}), f64({1, 0, 1, -3}, {2, 2})),
              test::TensorNear(f64({std::tanh(0.7), std::tanh(-0.8)}, {1, 2}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
