#include "nn/attention/score/cosine_score.h"

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
using test::TensorNear;

// W maps q = (3 4) to (4 3), of length 5. cos with (4 3) is 1, with (-3 4) 0, with (0 2) 3 / 5.
// beta = log(1 + exp(log(e^2 - 1))) = 2.
TEST(CosineScore, EqualsGravesEquation6ByHand) {
  const auto score = test::score_f64(ScoreKind::cosine, {2, 2});
  test::set_parameter(*score, "weight", f64({0, 1, 1, 0}, {2, 2}));
  test::set_parameter(*score, "sharpness", f64({std::log(std::exp(2.0) - 1)}, {1}));
  EXPECT_THAT(test::energies(*score, f64({3, 4}, {1, 2}), f64({4, 3, -3, 4, 0, 2}, {3, 2})),
              TensorNear(f64({2, 0, 1.2}, {1, 3}), 1e-12));
}

// Along W q itself the cosine is 1, so the energy is beta.
TEST(CosineScore, BeginsWithABetaOfTen) {
  const auto score = test::score_f64(ScoreKind::cosine, {2, 2});
  score->initialize(at::detail::createCPUGenerator(6));
  const auto query = f64({1, 2}, {1, 2});
  const auto key = at::linear(query, test::parameter(*score, "weight"));
  EXPECT_THAT(test::energies(*score, query, key), TensorNear(f64({10}, {1, 1}), 1e-9));
}

TEST(CosineScore, GivesAKeyOfZerosNoEnergy) {
  const auto score = test::score_f64(ScoreKind::cosine, {2, 2});
  score->initialize(at::detail::createCPUGenerator(6));
  EXPECT_THAT(test::energies(*score, f64({1, 2}, {1, 2}), f64({0, 0}, {1, 2})),
              test::TensorEq(f64({0}, {1, 1})));
}

}  // namespace
}  // namespace attend::nn
