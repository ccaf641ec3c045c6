#include "nn/attention/distribution/hard_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kRows = 40000;

/// Energies whose softmax is 0.1, 0.2, 0.7, and a masked position.
torch::Tensor example_energies() {
  return f64({std::log(0.1), std::log(0.2), std::log(0.7), 50}, {1, 1, 4});
}

torch::Tensor example_mask() {
  return torch::tensor({true, true, true, false}).view({1, 1, 4});
}

HardDistribution make(Estimator estimator, bool training) {
  AttentionOptions options;
  options.estimator = estimator;
  HardDistribution distribution(options);
  distribution.train(training);
  torch::manual_seed(5);
  return distribution;
}

AttentionWeights distribute(const HardDistribution& distribution, const torch::Tensor& energies,
                            const torch::Tensor& mask) {
  return distribution.distribute(energies, mask, distribution.noise(energies));
}

TEST(HardDistribution, TakesTheMostProbablePositionOutsideTraining) {
  for (const Estimator estimator : enum_values<Estimator>()) {
    const AttentionWeights made =
        distribute(make(estimator, false), example_energies(), example_mask());
    EXPECT_THAT(made.weights, TensorEq(f64({0, 0, 1, 0}, {1, 1, 4})));
    EXPECT_FALSE(made.drawn.log_prob.defined());
  }
}

TEST(HardDistribution, DrawsAsOftenAsTheSoftmaxSays) {
  const auto energies = example_energies().expand({kRows, 1, 4});
  for (const Estimator estimator : enum_values<Estimator>()) {
    const auto weights = make(estimator, true).weights(energies, example_mask());
    EXPECT_THAT(weights.sum(2), TensorEq(torch::ones({kRows, 1})));
    EXPECT_THAT(weights.amax(2), TensorEq(torch::ones({kRows, 1})));
    // The tolerance is four standard deviations: 4 sqrt(0.25 / 40000) = 0.01.
    EXPECT_THAT(weights.mean(torch::IntArrayRef{0, 1}),
                TensorNear(f64({0.1, 0.2, 0.7, 0}, {4}), 0.01))
        << enum_name(estimator);
  }
}

TEST(HardDistribution, TellsTheProbabilityOfItsDrawAndTheEntropy) {
  const AttentionWeights made =
      distribute(make(Estimator::reinforce, true), example_energies(), example_mask());
  const auto p = f64({0.1, 0.2, 0.7}, {3});
  const auto drawn = (made.weights.view({4}).slice(0, 0, 3) * p).sum();
  EXPECT_THAT(made.drawn.log_prob, TensorNear(drawn.log().view({1, 1}), 1e-12));
  EXPECT_THAT(made.drawn.entropy, TensorNear(-(p * p.log()).sum().view({1, 1}), 1e-12));
}

// Compares d/de sum_s p_s r_s = p (r - sum p r) with the mean of r[drawn] d/de log p[drawn].
TEST(HardDistribution, ScoreFunctionEstimatesTheGradientOfTheMarginal) {
  const auto energies = example_energies().requires_grad_(true);
  const auto rewards = f64({1, -2, 0.5, 9}, {4});
  const AttentionWeights made =
      distribute(make(Estimator::reinforce, true), energies.expand({kRows, 1, 4}), example_mask());
  const auto reward = (made.weights * rewards).sum(2);
  (reward * made.drawn.log_prob).mean().backward();
  const auto p = f64({0.1, 0.2, 0.7, 0}, {4});
  EXPECT_THAT(energies.grad().view({4}), TensorNear(p * (rewards - (p * rewards).sum()), 0.02));
}

// With two positions and temperature 1, d weight_0 / d(e_0, e_1) = y (1 - y) (1, -1), y in (0, 1).
TEST(HardDistribution, GumbelPassesTheGradientOfASoftmaxStraightThrough) {
  const auto energies = f64({0.3, -0.2}, {1, 1, 2}).requires_grad_(true);
  make(Estimator::gumbel, true)
      .weights(energies, torch::ones({1, 1, 2}, torch::kBool))[0][0][0]
      .backward();
  const auto gradient = energies.grad().view({2});
  EXPECT_GT(gradient[0].item<double>(), 0.0);
  EXPECT_LE(gradient[0].item<double>(), 0.25);
  EXPECT_THAT(gradient[1], TensorNear(-gradient[0], 1e-12));
}

TEST(HardDistribution, DrawsNothingWhereNothingMayBeSeen) {
  const auto energies = example_energies().requires_grad_(true);
  const AttentionWeights made =
      distribute(make(Estimator::reinforce, true), energies, torch::zeros({1, 1, 4}, torch::kBool));
  EXPECT_THAT(made.weights, TensorEq(torch::zeros({1, 1, 4})));
  EXPECT_THAT(made.drawn.log_prob, TensorEq(torch::zeros({1, 1})));
  EXPECT_THAT(made.drawn.entropy, TensorEq(torch::zeros({1, 1})));
}

}  // namespace
}  // namespace attend::nn
