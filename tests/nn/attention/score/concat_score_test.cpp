#include "nn/attention/score/concat_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::parameter;
using test::random_f64;
using test::set_parameter;
using test::TensorNear;

// A = 2, H = 1, C = 2, W = (2 1 0; -1 0 1), b = (0, 3), w = (5, 7); q = 1.
// k_1 = (-2, 0): W [q; k_1] + b = (0, 2); k_2 = (1, -2): (3, 0).
TEST(ConcatScore, EqualsLuongSection31ByHand) {
  AttentionOptions options;
  options.size = 2;
  const auto score = test::score_f64(ScoreKind::concat, {1, 2}, options);
  set_parameter(*score, "weight", f64({2, 1, 0, -1, 0, 1}, {2, 3}));
  set_parameter(*score, "bias", f64({0, 3}, {2}));
  set_parameter(*score, "vector", f64({5, 7}, {2}));
  EXPECT_THAT(test::energies(*score, f64({1}, {1, 1}), f64({-2, 0, 1, -2}, {2, 2})),
              TensorNear(f64({7 * std::tanh(2.0), 5 * std::tanh(3.0)}, {1, 2}), 1e-12));
}

TEST(ConcatScore, IsTheAdditiveScoreInOneMatrix) {
  AttentionOptions options;
  options.size = 7;
  const auto concat = test::score_f64(ScoreKind::concat, {4, 6}, options);
  const auto additive = test::score_f64(ScoreKind::additive, {4, 6}, options);
  test::randomize(*additive, 3);
  set_parameter(
      *concat, "weight",
      at::cat({parameter(*additive, "query_weight"), parameter(*additive, "key_weight")}, 1));
  set_parameter(*concat, "bias", parameter(*additive, "bias"));
  set_parameter(*concat, "vector", parameter(*additive, "vector"));
  const auto queries = random_f64({3, 4}, 4), keys = random_f64({5, 6}, 5);
  EXPECT_THAT(test::energies(*concat, queries, keys),
              TensorNear(test::energies(*additive, queries, keys), 1e-12));
}

}  // namespace
}  // namespace attend::nn
