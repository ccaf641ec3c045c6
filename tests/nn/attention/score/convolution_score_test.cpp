#include "nn/attention/score/convolution_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorEq;
using test::TensorNear;

/// A = H = C = 1, n = 3: W = (1 2 3), b = 5.
std::shared_ptr<AttentionScore> convolution_example() {
  AttentionOptions options;
  options.size = 1;
  const auto score = test::score_f64(ScoreKind::convolution, {1, 1}, options);
  test::set_parameter(*score, "key_weight", f64({1, 2, 3}, {1, 1, 3}));
  test::set_parameter(*score, "query_weight", f64({7}, {1, 1}));
  test::set_parameter(*score, "bias", f64({5}, {1}));
  test::set_parameter(*score, "vector", f64({2}, {1}));
  return score;
}

// Keys 1, 10, 100: 2 * 1 + 3 * 10 + 5, 1 * 1 + 2 * 10 + 3 * 100 + 5, 1 * 10 + 2 * 100 + 5.
TEST(ConvolutionScore, WeighsNeighboursByHand) {
  EXPECT_THAT(convolution_example()->prepare(test::memory_of(f64({1, 10, 100}, {3, 1}))),
              TensorEq(f64({37, 326, 215}, {1, 3, 1})));
}

// One key of -2.4: 2 * -2.4 + 5 = 0.2; with q = 0.1: 2 tanh(0.2 + 0.7).
TEST(ConvolutionScore, AddsTheQueryByHand) {
  EXPECT_THAT(test::energies(*convolution_example(), f64({0.1}, {1, 1}), f64({-2.4}, {1, 1})),
              TensorNear(f64({2 * std::tanh(0.9)}, {1, 1}), 1e-12));
}

TEST(ConvolutionScore, SeesNothingOfPadding) {
  Memory memory = test::memory_of(f64({1, 10, 100}, {3, 1}));
  memory.mask = torch::tensor({true, true, false}).unsqueeze(0);
  EXPECT_THAT(convolution_example()->prepare(memory).slice(1, 0, 2),
              TensorEq(f64({37, 26}, {1, 2, 1})));
}

}  // namespace
}  // namespace attend::nn
