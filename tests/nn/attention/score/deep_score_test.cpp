#include "nn/attention/score/deep_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorNear;

std::shared_ptr<AttentionScore> deep_example(int64_t layers) {
  AttentionOptions options;
  options.size = 2;
  options.layers = layers;
  return test::score_f64(ScoreKind::deep, {1, 1}, options);
}

// A = 2. E_1 = tanh((1 2) k + (3 -1) q + (0 1)); with k = 0.5, q = 0.25: tanh(1.25, 1.75).
// E_2 = tanh((0 1; 2 0) E_1 + (0.5 0)); e = 3 E_2[0] - 2 E_2[1].
TEST(DeepScore, EqualsItsFormulaByHand) {
  const auto score = deep_example(2);
  test::set_parameter(*score, "key_weight", f64({1, 2}, {2, 1}));
  test::set_parameter(*score, "query_weight", f64({3, -1}, {2, 1}));
  test::set_parameter(*score, "bias", f64({0, 1}, {2}));
  test::set_parameter(*score, "weight2", f64({0, 1, 2, 0}, {2, 2}));
  test::set_parameter(*score, "bias2", f64({0.5, 0}, {2}));
  test::set_parameter(*score, "vector", f64({3, -2}, {2}));
  const double expected = 3 * std::tanh(std::tanh(1.75) + 0.5) - 2 * std::tanh(2 * std::tanh(1.25));
  EXPECT_THAT(test::energies(*score, f64({0.25}, {1, 1}), f64({0.5}, {1, 1})),
              TensorNear(f64({expected}, {1, 1}), 1e-12));
}

TEST(DeepScore, IsAdditiveWithOneLayer) {
  AttentionOptions options;
  options.size = 2;
  const auto deep = deep_example(1),
             additive = test::score_f64(ScoreKind::additive, {1, 1}, options);
  test::randomize(*deep, 5);
  for (const std::string& name : test::parameter_names(*additive)) {
    test::set_parameter(*additive, name, test::parameter(*deep, name));
  }
  EXPECT_EQ(test::parameter_names(*deep), test::parameter_names(*additive));
  const auto queries = random_f64({3, 1}, 1), keys = random_f64({4, 1}, 2);
  EXPECT_THAT(test::energies(*deep, queries, keys),
              TensorNear(test::energies(*additive, queries, keys), 1e-12));
}

TEST(DeepScore, HasAWeightForEachFurtherLayer) {
  EXPECT_THAT(test::parameter_names(*deep_example(3)),
              testing::IsSupersetOf({"weight2", "bias2", "weight3", "bias3"}));
}

}  // namespace
}  // namespace attend::nn
