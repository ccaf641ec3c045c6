#include "nn/attention/score/location_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;

/// Three positions, H = 2: W = (1 0; 0 1; 2 3).
std::shared_ptr<AttentionScore> example() {
  AttentionOptions options;
  options.max_source_length = 3;
  const auto score = test::score_f64(ScoreKind::location, {2, 4}, options);
  test::set_parameter(*score, "weight", f64({1, 0, 0, 1, 2, 3}, {3, 2}));
  return score;
}

// W q = (5, 7, 2 * 5 + 3 * 7); two source positions do not use the third row.
TEST(LocationScore, EqualsLuongEquation8ByHand) {
  EXPECT_THAT(test::energies(*example(), f64({5, 7}, {1, 2}), random_f64({3, 4}, 1)),
              test::TensorEq(f64({5, 7, 31}, {1, 3})));
  EXPECT_THAT(test::energies(*example(), f64({5, 7}, {1, 2}), random_f64({2, 4}, 1)),
              test::TensorEq(f64({5, 7}, {1, 2})));
}

TEST(LocationScore, SeesNoPositionsPastTheMaximum) {
  const auto mask = torch::tensor({true, true, true, true, true, true, false, false}).view({2, 4});
  EXPECT_THAT(example()->visible(mask),
              test::TensorEq(torch::tensor({1, 1, 1, 0, 1, 1, 0, 0}).view({2, 4})));
  EXPECT_EQ(test::energies(*example(), f64({5, 7}, {1, 2}), random_f64({5, 4}, 1)).size(1), 5);
}

TEST(LocationScore, GivesPositionsPastTheMaximumNoWeight) {
  AttentionOptions options;
  options.score = ScoreKind::location;
  options.max_source_length = 3;
  Attention attention(options, 2, 4);
  test::randomize(attention, 2);
  const auto weights =
      attention
          .attend(random_f64({1, 1, 2}, 3),
                  attention.prepare(test::memory_of(random_f64({5, 4}, 1))), {}, 0, 0.0)
          .weights;
  EXPECT_THAT(weights.slice(2, 3), test::TensorEq(torch::zeros({1, 1, 2})));
  EXPECT_NEAR(weights.slice(2, 0, 3).sum().item<double>(), 1.0, 1e-12);
}

}  // namespace
}  // namespace attend::nn
