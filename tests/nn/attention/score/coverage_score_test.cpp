#include "nn/attention/score/coverage_score.h"

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
using test::TensorNear;

/// A = H = C = 1: W_k = 0.5, W_q = 4, U = 0.3, b = -1, w = 2.
std::shared_ptr<AttentionScore> coverage_example(double fertility) {
  AttentionOptions options;
  options.size = 1;
  options.fertility = fertility;
  auto score = test::score_f64(ScoreKind::coverage, {1, 1}, options);
  test::set_parameter(*score, "key_weight", f64({0.5}, {1, 1}));
  test::set_parameter(*score, "query_weight", f64({4}, {1, 1}));
  test::set_parameter(*score, "coverage_weight", f64({0.3}, {1}));
  test::set_parameter(*score, "bias", f64({-1}, {1}));
  test::set_parameter(*score, "vector", f64({2}, {1}));
  return score;
}

/// For q = 0.25, keys (1 2) and coverage (0.5 2).
torch::Tensor energies(const AttentionScore& score) {
  const Memory memory = test::memory_of(f64({1, 2}, {2, 1}));
  const AttentionState state{{}, f64({0.5, 2}, {1, 2})};
  return score.energy(f64({0.25}, {1, 1, 1}), {memory, score.prepare(memory), {}, {}}, state);
}

// (0.5 1) + 1 - 1 + 0.3 (0.5 2).
TEST(CoverageScore, AddsTheSumOfTheWeightsByHand) {
  EXPECT_THAT(energies(*coverage_example(0.0)),
              TensorNear(f64({2 * std::tanh(0.65), 2 * std::tanh(1.6)}, {1, 1, 2}), 1e-12));
}

// u = log 3: sigma(u k) = 3/4 and 9/10, Phi = 2 sigma = 1.5 and 1.8; 0.3 (0.5 / 1.5, 2 / 1.8).
TEST(CoverageScore, DividesByTheFertilityByHand) {
  const auto score = coverage_example(2.0);
  test::set_parameter(*score, "fertility_weight", f64({std::log(3.0)}, {1}));
  EXPECT_THAT(energies(*score),
              TensorNear(f64({2 * std::tanh(0.6), 2 * std::tanh(1 + 1.0 / 3)}, {1, 1, 2}), 1e-12));
}

// Three steps of an attention: the score receives the sum of all weights so far.
TEST(CoverageScore, IsGivenTheSumOfAllStepsWeights) {
  AttentionOptions options;
  options.score = ScoreKind::coverage;
  Attention attention(options, 3, 4);
  test::randomize(attention, 2);
  const PreparedMemory memory = attention.prepare(test::memory_of(test::random_f64({5, 4}, 1)));
  AttentionState state = attention.start(memory);
  torch::Tensor sum = torch::zeros({1, 5}, torch::kFloat64);
  for (int64_t t = 0; t < 3; ++t) {
    EXPECT_THAT(state.coverage, TensorNear(sum, 1e-12));
    const auto query = test::random_f64({1, 1, 3}, static_cast<uint64_t>(t));
    const Attended attended = attention.attend(query, memory, state, t, 0.0);
    EXPECT_THAT(attended.state.previous, test::TensorEq(attended.weights.squeeze(1)));
    sum = sum + attended.weights.squeeze(1);
    state = attended.state;
  }
}

}  // namespace
}  // namespace attend::nn
