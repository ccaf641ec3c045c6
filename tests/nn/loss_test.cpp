#include "nn/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>

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
