#include "nn/attention/score/biased_general_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;

// W q + b = (1 0 0; 0 1 1) (1 2 0) + (1 -1) = (2 1); k_1 = (3 4) gives 10, k_2 = (-1 0) gives -2.
TEST(BiasedGeneralScore, EqualsItsFormulaByHand) {
  const auto score = test::score_f64(ScoreKind::biased_general, {3, 2});
  test::set_parameter(*score, "weight", f64({1, 0, 0, 0, 1, 1}, {2, 3}));
  test::set_parameter(*score, "bias", f64({1, -1}, {2}));
  EXPECT_THAT(test::energies(*score, f64({1, 2, 0}, {1, 3}), f64({3, 4, -1, 0}, {2, 2})),
              test::TensorEq(f64({10, -2}, {1, 2})));
}

}  // namespace
}  // namespace attend::nn
