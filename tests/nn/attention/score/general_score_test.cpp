#include "nn/attention/score/general_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/shape.h"
#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;

// q^T W = (1 2) (1 0 1; 0 2 1) = (1 4 3); k_1 = (1 0 0) gives 1, k_2 = (0 1 1) gives 7.
TEST(GeneralScore, EqualsLuongSection31ByHand) {
  const auto score = test::score_f64(ScoreKind::general, {2, 3});
  test::set_parameter(*score, "weight", f64({1, 0, 1, 0, 2, 1}, {2, 3}));
  EXPECT_THAT(test::energies(*score, f64({1, 2}, {1, 2}), f64({1, 0, 0, 0, 1, 1}, {2, 3})),
              test::TensorEq(f64({1, 7}, {1, 2})));
}

TEST(GeneralScore, RefusesKeysOfAnotherSize) {
  const auto score = test::score_f64(ScoreKind::general, {2, 3});
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            test::energies(*score, test::random_f64({1, 2}, 1), test::random_f64({5, 4}, 2)));
      },
      testing::ThrowsMessage<ShapeError>(
          testing::StrEq("GeneralScore keys: expected [*, *, 3], got [1, 5, 4]")));
}

}  // namespace
}  // namespace attend::nn
