#include "nn/attention/score/additive_score.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::set_parameter;
using test::TensorNear;

/// A = 3, H = 2, C = 4: W_q = (1 0; 0 1; 1 1), W_k = (1 0 0 0; 0 1 0 0; 0 0 1 1), b = (0 0 -1), w =
/// (3 4 12).
std::shared_ptr<AttentionScore> example(bool normalized) {
  AttentionOptions options;
  options.size = 3;
  options.normalized = normalized;
  auto score = test::score_f64(ScoreKind::additive, {2, 4}, options);
  set_parameter(*score, "query_weight", f64({1, 0, 0, 1, 1, 1}, {3, 2}));
  set_parameter(*score, "key_weight", f64({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1}, {3, 4}));
  set_parameter(*score, "bias", f64({0, 0, -1}, {3}));
  set_parameter(*score, "vector", f64({3, 4, 12}, {3}));
  return score;
}

const std::vector<double> kQuery{1, -2};
const std::vector<double> kKeys{1, 2, 0, 0, 0, 2, 1, 1};

// W_q q = (1, -2, -1). k_1 = (1 2 0 0): W_k k_1 + b = (1, 2, -1), sum (2, 0, -2).
// k_2 = (0 2 1 1): W_k k_2 + b = (0, 2, 1), sum (1, 0, 0).
std::vector<double> by_hand() {
  return {3 * std::tanh(2.0) + 12 * std::tanh(-2.0), 3 * std::tanh(1.0)};
}

TEST(AdditiveScore, EqualsBahdanauAppendixA12ByHand) {
  EXPECT_THAT(test::energies(*example(false), f64(kQuery, {1, 2}), f64(kKeys, {2, 4})),
              TensorNear(f64(by_hand(), {1, 2}), 1e-12));
}

// ||w|| = sqrt(9 + 16 + 144) = 13, so g = 26 doubles the energies of w / 13 * 13.
TEST(AdditiveScore, NormalizedHasTheLengthGInThePlaceOfTheVectors) {
  const auto score = example(true);
  set_parameter(*score, "scale", f64({26}, {1}));
  EXPECT_THAT(test::energies(*score, f64(kQuery, {1, 2}), f64(kKeys, {2, 4})),
              TensorNear(2 * f64(by_hand(), {1, 2}), 1e-12));
}

TEST(AdditiveScore, NormalizedStartsAsThePlainForm) {
  const auto normalized = example(true);
  const auto plain = example(false);
  normalized->initialize(at::detail::createCPUGenerator(6));
  plain->initialize(at::detail::createCPUGenerator(6));
  const auto query = f64(kQuery, {1, 2}), keys = f64(kKeys, {2, 4});
  EXPECT_THAT(test::energies(*normalized, query, keys),
              TensorNear(test::energies(*plain, query, keys), 1e-12));
}

TEST(AdditiveScore, TakesTheQuerysSizeForItsInnerSizeUnlessTold) {
  const auto score = test::score_f64(ScoreKind::additive, {2, 4});
  EXPECT_EQ(test::parameter(*score, "vector").sizes(), (torch::IntArrayRef{2}));
  EXPECT_EQ(test::parameter(*example(false), "vector").sizes(), (torch::IntArrayRef{3}));
}

}  // namespace
}  // namespace attend::nn
