#include "model/recurrent/self_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::f64;
using test::TensorNear;

RecurrentEncoderOptions with(TopAttention score, int64_t heads = 1) {
  RecurrentEncoderOptions options;
  options.self_attention = score;
  options.self_attention_heads = heads;
  return options;
}

/// The first of two features after normalisation, given its difference from the second: 1 if it is
/// the larger, -1 if it is the smaller, up to the 1e-5 in the denominator.
double normalised(double difference) {
  return difference / std::sqrt(difference * difference + 4e-5);
}

// C = 2, x_1 = (1 0), x_2 = (0 0) and one position of padding. Scaled dot: x_1 has the energies
// 1 / sqrt(2) and 0, so weight p = sigma(1 / sqrt(2)) on itself and the context (p 0); x_2 has none
// and the context (1/2 0). The sums (1 + p, 0) and (1/2, 0) are normalised, times the gain 3
// plus 1.
TEST(SelfAttention, EqualsItsFormulaByHand) {
  SelfAttention layer(with(TopAttention::scaled_dot), {}, 2);
  layer.to(torch::kFloat64);
  test::set_parameter(layer, "norm.gain", f64({3, 3}, {2}));
  test::set_parameter(layer, "norm.bias", f64({1, 1}, {2}));
  const auto lengths = torch::full({1}, 2, torch::kInt64);
  const auto states = f64({1, 0, 0, 0, 9, 9}, {1, 3, 2});
  const double p = 1 / (1 + std::exp(-1 / std::sqrt(2.0)));
  const double first = 3 * normalised(1 + p), second = 3 * normalised(0.5);
  EXPECT_THAT(
      layer.forward(states, lengths, test::mask_of(lengths, 3)).states,
      TensorNear(f64({1 + first, 1 - first, 1 + second, 1 - second, 0, 0}, {1, 3, 2}), 1e-9));
}

// One position (1 1/2), so that the context equals it. Each feature is dropped or doubled before it
// is added: (1 or 3, 1/2 or 3/2). The first is the smaller one in 1 of 4 cases.
TEST(SelfAttention, DropsFeaturesOfWhatItAddsInTrainingOnly) {
  constexpr int64_t kRows = 400;
  DropoutOptions dropout;
  dropout.layer = 0.5;
  SelfAttention layer(with(TopAttention::scaled_dot), dropout, 2);
  layer.to(torch::kFloat64);
  torch::manual_seed(3);
  const auto states = f64({1, 0.5}, {1, 1, 2}).expand({kRows, 1, 2});
  const auto lengths = torch::ones({kRows}, torch::kInt64);
  const auto turned = [&] {
    const torch::Tensor normalised =
        layer.forward(states, lengths, test::mask_of(lengths, 1)).states;
    return normalised.select(2, 0).lt(normalised.select(2, 1)).sum().item<int64_t>();
  };
  EXPECT_NEAR(static_cast<double>(turned()), 100, 35);  // four standard deviations
  layer.eval();
  EXPECT_EQ(turned(), 0);
}

TEST(SelfAttention, HasParametersForEveryKind) {
  EXPECT_THAT(test::parameter_names(SelfAttention(with(TopAttention::additive), {}, 4)),
              testing::Contains("attention.score.vector"));
  EXPECT_THAT(test::parameter_names(SelfAttention(with(TopAttention::scaled_dot, 2), {}, 4)),
              testing::Contains("attention.heads.output.weight"));
}

}  // namespace
}  // namespace attend::model
