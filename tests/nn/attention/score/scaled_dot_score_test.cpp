#include "nn/attention/score/scaled_dot_score.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

const std::vector<double> kScaledQuery{1, 2, 3, 4};
const std::vector<double> kScaledKeys{1, 0, 0, 1, 0, 2, 2, 0};

// Products 5 and 10, divided by sqrt(4) = 2.
TEST(ScaledDotScore, EqualsVaswaniEquation1ByHand) {
  const auto score = test::score_f64(ScoreKind::scaled_dot, {4, 4});
  EXPECT_THAT(test::energies(*score, f64(kScaledQuery, {1, 4}), f64(kScaledKeys, {2, 4})),
              TensorNear(f64({2.5, 5}, {1, 2}), 1e-12));
  EXPECT_THAT(test::parameter_names(*score), testing::IsEmpty());
}

TEST(ScaledDotScore, LearnedScaleTakesTheFactorsPlace) {
  AttentionOptions options;
  options.learned_scale = true;
  const auto score = test::score_f64(ScoreKind::scaled_dot, {4, 4}, options);
  test::set_parameter(*score, "scale", f64({3}, {1}));
  EXPECT_THAT(test::energies(*score, f64(kScaledQuery, {1, 4}), f64(kScaledKeys, {2, 4})),
              TensorNear(f64({15, 30}, {1, 2}), 1e-12));
}

TEST(ScaledDotScore, LearnedScaleStartsAtTheFactor) {
  AttentionOptions options;
  options.learned_scale = true;
  const auto score = test::score_f64(ScoreKind::scaled_dot, {4, 4}, options);
  test::randomize(*score, 2);
  score->initialize(at::detail::createCPUGenerator(1));
  EXPECT_THAT(test::parameter(*score, "scale"), TensorNear(f64({0.5}, {1}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
