#include "nn/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>
#include <stdexcept>

#include "nn/execution.h"
#include "tests/support/gradcheck.h"

namespace attend::nn {
namespace {

constexpr double kSmoothing = 0.3;

torch::Tensor random_logits() {
  torch::manual_seed(5);
  return torch::randn({4, 7}, torch::kFloat64);  // N, V
}

torch::Tensor targets() {
  return torch::tensor({6, 0, 3, 3}, torch::kInt64);
}

// Two rows over V = 3. Row 1: logits (ln 1, ln 2, ln 5), so p = (1/8, 2/8, 5/8), target 2.
// Row 2: logits (0, 0, 0), so p = 1/3 each, target 0.
// -sum log p[target] = ln(8/5) + ln 3.
TEST(CrossEntropy, IsTheNegativeLogLikelihoodOfTheTargets) {
  const auto logits =
      torch::tensor({0.0, std::log(2.0), std::log(5.0), 0.0, 0.0, 0.0}).view({2, 3});
  const CrossEntropy loss = cross_entropy(logits, torch::tensor({2, 0}, torch::kInt64), 0.0);
  const double expected = std::log(8.0 / 5.0) + std::log(3.0);
  EXPECT_NEAR(loss.nll.item<double>(), expected, 1e-6);
  EXPECT_NEAR(loss.objective.item<double>(), expected, 1e-6);
}

// q = (0.1, 0.1, 0.8) for smoothing 0.3 and target 2 of V = 3:
// -(0.1 ln(1/8) + 0.1 ln(2/8) + 0.8 ln(5/8)).
TEST(CrossEntropy, SpreadsTheSmoothingOverAllClassesTheTargetIncluded) {
  const auto logits = torch::tensor({{0.0, std::log(2.0), std::log(5.0)}});
  const CrossEntropy loss = cross_entropy(logits, torch::tensor({2}, torch::kInt64), kSmoothing);
  const double expected =
      -(0.1 * std::log(1.0 / 8) + 0.1 * std::log(2.0 / 8) + 0.8 * std::log(5.0 / 8));
  EXPECT_NEAR(loss.objective.item<double>(), expected, 1e-6);
  EXPECT_NEAR(loss.nll.item<double>(), std::log(8.0 / 5.0), 1e-6);
}

class CrossEntropyGradient : public testing::TestWithParam<double> {};

TEST_P(CrossEntropyGradient, MatchesCentralDifferences) {
  constexpr double kStep = 1e-6;
  constexpr double kScale = 1.7;  // an incoming gradient that is not 1
  auto logits = random_logits().requires_grad_(true);
  (kScale * cross_entropy(logits, targets(), GetParam()).objective).backward();
  const auto value = [](const torch::Tensor& at) {
    return kScale * cross_entropy(at, targets(), GetParam()).objective.item<double>();
  };
  for (int64_t i = 0; i < logits.numel(); ++i) {
    auto up = logits.detach().clone();
    auto down = up.clone();
    up.view(-1)[i] += kStep;
    down.view(-1)[i] -= kStep;
    const double expected = (value(up) - value(down)) / (2 * kStep);
    EXPECT_NEAR(logits.grad().view(-1)[i].item<double>(), expected, 1e-6) << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Smoothing, CrossEntropyGradient, testing::Values(0.0, kSmoothing));

TEST(CrossEntropy, IsZeroWithoutPredictions) {
  auto logits = torch::zeros({0, 5}).requires_grad_(true);
  const CrossEntropy loss = cross_entropy(logits, torch::zeros({0}, torch::kInt64), kSmoothing);
  loss.objective.backward();
  EXPECT_EQ(loss.objective.item<double>(), 0.0);
  EXPECT_EQ(loss.nll.item<double>(), 0.0);
}

TEST(CrossEntropy, StaysFiniteForHugeLogits) {
  const auto logits = torch::tensor({{1e30F, 0.0F}});
  const CrossEntropy loss = cross_entropy(logits, torch::tensor({0}, torch::kInt64), 0.0);
  EXPECT_EQ(loss.nll.item<double>(), 0.0);
}

constexpr double kAlpha = 5.0;

/// sum_k p_k log(p_k / q_k) for one row of logits each.
double kl(const torch::Tensor& p_logits, const torch::Tensor& q_logits) {
  const torch::Tensor p = p_logits.softmax(0), q = q_logits.softmax(0);
  double sum = 0.0;
  for (int64_t k = 0; k < p.size(0); ++k) {
    const double p_k = p[k].item<double>();
    sum += p_k * std::log(p_k / q[k].item<double>());
  }
  return sum;
}

/// Two passes of two predictions over V = 7.
torch::Tensor targets_of_twins() {
  return torch::tensor({6, 3, 6, 3}, torch::kInt64);
}

// Liang et al. (2021), Eq. 4: -log p_1 - log p_2 + alpha / 2 [KL(1 || 2) + KL(2 || 1)], but with
// the smoothed loss instead of -log p.
TEST(RDrop, AddsTheSymmetricDivergenceOfTheTwoPassesOfEachPrediction) {
  const torch::Tensor logits = random_logits();
  const torch::Tensor log_probs = logits.log_softmax(1);
  double nll = 0.0, smoothed = 0.0, divergence = 0.0;
  for (int64_t row = 0; row < 4; ++row) {
    const int64_t target = targets_of_twins()[row].item<int64_t>();
    nll -= log_probs[row][target].item<double>();
    smoothed -= (1.0 - kSmoothing) * log_probs[row][target].item<double>() +
                kSmoothing * log_probs[row].mean().item<double>();
  }
  for (int64_t row = 0; row < 2; ++row)
    divergence += kl(logits[row], logits[row + 2]) + kl(logits[row + 2], logits[row]);
  const CrossEntropy loss = cross_entropy(logits, targets_of_twins(), {kSmoothing, kAlpha});
  EXPECT_NEAR(loss.nll.item<double>(), nll, 1e-12);
  EXPECT_NEAR(loss.divergence.item<double>(), divergence, 1e-12);
  EXPECT_NEAR(loss.objective.item<double>(), smoothed + 0.5 * kAlpha * divergence, 1e-12);
  EXPECT_FALSE(cross_entropy(logits, targets_of_twins(), kSmoothing).divergence.defined());
}

TEST(RDrop, HasTheGradientsOfCentralDifferences) {
  for (const double smoothing : {0.0, kSmoothing}) {
    const auto logits = random_logits().requires_grad_(true);
    const auto function = [&] {
      return 1.7 * cross_entropy(logits, targets_of_twins(), {smoothing, kAlpha}).objective;
    };
    EXPECT_LT(test::max_gradient_error(function, {logits}), 1e-8);
  }
}

// There are more predictions than a block of the fused loss, so each prediction must find its twin.
TEST(RDrop, IsTheSameWithFusedKernels) {
  torch::manual_seed(3);
  constexpr int64_t kPredictions = 700, kStates = 5, kClasses = 11;
  const auto leaf = [](at::IntArrayRef sizes) {
    return torch::randn(sizes, torch::kFloat64).requires_grad_(true);
  };
  const torch::Tensor states = leaf({2 * kPredictions, kStates});
  const torch::Tensor weight = leaf({kClasses, kStates}), bias = leaf({kClasses});
  const torch::Tensor targets = torch::randint(kClasses, {kPredictions}, torch::kInt64).repeat({2});
  const auto outcome = [&](bool fused) {
    const ExecutionScope scope({.fused = fused});
    const CrossEntropy loss =
        output_cross_entropy(states, weight, bias, targets, {kSmoothing, kAlpha});
    auto all = torch::autograd::grad({loss.objective}, {states, weight, bias});
    all.insert(all.end(), {loss.objective.detach(), loss.nll, loss.divergence});
    return all;
  };
  const auto plain = outcome(false), fused = outcome(true);
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(torch::allclose(fused[i], plain[i], 1e-10, 1e-9)) << i;
}

TEST(RDrop, OfNoPredictionsIsZero) {
  for (const bool fused : {false, true}) {
    const ExecutionScope scope({.fused = fused});
    const torch::Tensor states = torch::zeros({0, 3}).requires_grad_(true);
    const CrossEntropy loss =
        output_cross_entropy(states, torch::ones({5, 3}), torch::zeros({5}),
                             torch::zeros({0}, torch::kInt64), {kSmoothing, kAlpha});
    EXPECT_EQ(loss.objective.item<double>(), 0.0);
    EXPECT_EQ(loss.divergence.item<double>(), 0.0);
  }
}

// Compares the share of each prediction in the objective and the gradient, with weights of both
// signs.
TEST(CrossEntropy, CountsPredictionsByTheirWeights) {
  torch::manual_seed(3);
  const auto leaf = [](at::IntArrayRef sizes) {
    return torch::randn(sizes, torch::kFloat64).requires_grad_(true);
  };
  const torch::Tensor states = leaf({4, 5}), weight = leaf({7, 5}), bias = leaf({7});
  LossOptions options(kSmoothing);
  options.weights = torch::tensor({2.0, -0.5, 0.0, 1.0}, torch::kFloat64);
  torch::Tensor expected = torch::zeros({}, torch::kFloat64);
  for (int64_t row = 0; row < 4; ++row) {
    const torch::Tensor one = states.narrow(0, row, 1).matmul(weight.t()) + bias;
    expected = expected + options.weights[row] *
                              cross_entropy(one, targets().narrow(0, row, 1), kSmoothing).objective;
  }
  const auto expected_gradients = torch::autograd::grad({expected}, {states, weight, bias});
  for (const bool fused : {false, true}) {
    const ExecutionScope scope({.fused = fused});
    const CrossEntropy loss = output_cross_entropy(states, weight, bias, targets(), options);
    EXPECT_NEAR(loss.objective.item<double>(), expected.item<double>(), 1e-10);
    const auto gradients = torch::autograd::grad({loss.objective}, {states, weight, bias});
    for (std::size_t i = 0; i < gradients.size(); ++i)
      EXPECT_TRUE(torch::allclose(gradients[i], expected_gradients[i], 1e-10, 1e-10)) << fused << i;
  }
}

TEST(CrossEntropy, RefusesWeightsOfOtherPredictions) {
  LossOptions options;
  options.weights = torch::ones({3}, torch::kFloat64);
  EXPECT_THROW((void)cross_entropy(random_logits(), targets(), options), std::logic_error);
}

TEST(RDrop, RefusesAPredictionWithoutItsTwin) {
  EXPECT_THROW((void)cross_entropy(random_logits().narrow(0, 0, 3), targets().narrow(0, 0, 3),
                                   {0.0, kAlpha}),
               std::logic_error);
}

TEST(RealPositions, AreTheRowsUnderTheMaskInOrder) {
  const auto states = torch::arange(2 * 3 * 4).view({2, 3, 4});
  const auto mask = torch::tensor({true, true, false, true, false, false}).view({2, 3});
  const auto rows = real_positions(states, mask);
  ASSERT_EQ(rows.sizes(), (torch::IntArrayRef{3, 4}));
  EXPECT_TRUE(torch::equal(rows[0], states[0][0]));
  EXPECT_TRUE(torch::equal(rows[1], states[0][1]));
  EXPECT_TRUE(torch::equal(rows[2], states[1][0]));
}

}  // namespace
}  // namespace attend::nn
