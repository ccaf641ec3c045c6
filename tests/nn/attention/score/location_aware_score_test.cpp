#include "nn/attention/score/location_aware_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/attention/attention.h"
#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;

// A = H = C = 1, one filter (1 2 3), U = 0.1, W_k = 0.5, W_q = 4, b = -1, w = 2.
// a = (0.2 0.5 0.3): f = (2 * .2 + 3 * .5, .2 + 2 * .5 + 3 * .3, .5 + 2 * .3) = (1.9 2.1 1.1).
// q = 0.25, keys (1 2 3): (0.5 1 1.5) + 1 + 0.1 f - 1.
TEST(LocationAwareScore, EqualsChorowskiEquations8And9ByHand) {
  AttentionOptions options;
  options.size = 1;
  options.filters = 1;
  const auto score = test::score_f64(ScoreKind::location_aware, {1, 1}, options);
  test::set_parameter(*score, "filters", f64({1, 2, 3}, {1, 1, 3}));
  test::set_parameter(*score, "feature_weight", f64({0.1}, {1, 1}));
  test::set_parameter(*score, "key_weight", f64({0.5}, {1, 1}));
  test::set_parameter(*score, "query_weight", f64({4}, {1, 1}));
  test::set_parameter(*score, "bias", f64({-1}, {1}));
  test::set_parameter(*score, "vector", f64({2}, {1}));
  const Memory memory = test::memory_of(f64({1, 2, 3}, {3, 1}));
  const AttentionState state{f64({0.2, 0.5, 0.3}, {1, 3}), {}};
  const auto energies =
      score->energy(f64({0.25}, {1, 1, 1}), {memory, score->prepare(memory), {}, {}}, state);
  EXPECT_THAT(
      energies,
      test::TensorNear(
          f64({2 * std::tanh(0.69), 2 * std::tanh(1.21), 2 * std::tanh(1.61)}, {1, 1, 3}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
