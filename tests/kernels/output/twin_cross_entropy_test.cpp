#include "kernels/output/twin_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kTwins = 5, kClassesOfTwins = 35;

template <class T>
struct Twins {
  std::vector<T> first = noise<T>(kTwins * kClassesOfTwins, 1);
  std::vector<T> second = noise<T>(kTwins * kClassesOfTwins, 3);
  std::vector<T> scratch = std::vector<T>(kTwins * kClassesOfTwins);
  std::vector<T> bias = noise<T>(kClassesOfTwins, 2);
  std::vector<int64_t> targets = {0, 34, 17, 3, 16};
  double smoothing = 0.1;
  double weight = 2.5;
  std::vector<double> nll = std::vector<double>(kTwins);
  std::vector<double> objective = std::vector<double>(kTwins);
  std::vector<double> divergence = std::vector<double>(kTwins);

  void run() {
    twin_cross_entropy(TwinCrossEntropyRows<T>{.rows = kTwins,
                                               .classes = kClassesOfTwins,
                                               .first = first.data(),
                                               .second = second.data(),
                                               .scratch = scratch.data(),
                                               .bias = bias.data(),
                                               .targets = targets.data(),
                                               .smoothing = smoothing,
                                               .weight = weight,
                                               .nll = nll.data(),
                                               .objective = objective.data(),
                                               .divergence = divergence.data()});
  }
};

/// log p of every class in a row of logits.
template <class T>
std::vector<double> log_probabilities(const std::vector<T>& logits, const std::vector<T>& bias,
                                      int64_t row) {
  std::vector<double> result(kClassesOfTwins);
  double sum = 0.0;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const auto at = static_cast<std::size_t>(row) * result.size() + k;
    result[k] = static_cast<double>(logits[at]) + static_cast<double>(bias[k]);
    sum += std::exp(result[k]);
  }
  for (double& value : result) value -= std::log(sum);
  return result;
}

/// sum_k p_k (log p_k - log q_k).
double divergence_of(const std::vector<double>& log_p, const std::vector<double>& log_q) {
  double sum = 0.0;
  for (std::size_t k = 0; k < log_p.size(); ++k) sum += std::exp(log_p[k]) * (log_p[k] - log_q[k]);
  return sum;
}

double smoothed_loss(const std::vector<double>& log_p, int64_t target, double smoothing) {
  double uniform = 0.0;
  for (const double value : log_p) uniform -= value / static_cast<double>(log_p.size());
  return -(1.0 - smoothing) * log_p[static_cast<std::size_t>(target)] + smoothing * uniform;
}

template <class T>
class TwinCrossEntropyTest : public testing::Test {};
TYPED_TEST_SUITE(TwinCrossEntropyTest, FloatAndDouble);

TYPED_TEST(TwinCrossEntropyTest, ComputesItsFormula) {
  for (const double smoothing : {0.0, 0.1}) {
    Twins<TypeParam> x;
    x.smoothing = smoothing;
    const Twins<TypeParam> before = x;
    x.run();
    for (int64_t row = 0; row < kTwins; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const auto p = log_probabilities(before.first, x.bias, row);
      const auto q = log_probabilities(before.second, x.bias, row);
      const auto target = static_cast<std::size_t>(x.targets[at]);
      const double divergence = divergence_of(p, q) + divergence_of(q, p);
      EXPECT_GT(divergence, 0.1) << "the passes must differ for the test to mean much";
      EXPECT_NEAR(x.nll[at], -p[target] - q[target], 3 * kTolerance<TypeParam>);
      EXPECT_NEAR(x.divergence[at], divergence, kTolerance<TypeParam>);
      EXPECT_NEAR(x.objective[at],
                  smoothed_loss(p, x.targets[at], smoothing) +
                      smoothed_loss(q, x.targets[at], smoothing) + 2.5 * divergence,
                  9 * kTolerance<TypeParam>);
    }
  }
}

TEST(TwinCrossEntropyGradient, MatchesCentralDifferences) {
  for (const double smoothing : {0.0, 0.1}) {
    Twins<double> input;
    input.smoothing = smoothing;
    const auto objective = [&] {
      Twins<double> x = input;
      x.run();
      double sum = 0.0;
      for (const double of_row : x.objective) sum += of_row;
      return sum;
    };
    Twins<double> x = input;
    x.run();
    expect_slopes(input.first, x.first, objective, "first");
    expect_slopes(input.second, x.second, objective, "second");
  }
}

TEST(TwinCrossEntropyGradient, IsTheSameInFloat) {
  Twins<float> narrow;
  Twins<double> wide;
  narrow.run();
  wide.run();
  expect_near(narrow.first, wide.first, kTolerance<float>);
  expect_near(narrow.second, wide.second, kTolerance<float>);
}

// The two passes are equal, so there are two equal losses and no divergence.
TEST(TwinCrossEntropy, OfEqualPassesIsTwiceTheLoss) {
  Twins<double> x;
  x.second = x.first;
  x.run();
  for (const double divergence : x.divergence) EXPECT_NEAR(divergence, 0.0, 1e-14);
  expect_near(x.first, x.second, 0.0);
}

TEST(TwinCrossEntropy, StaysFiniteForHugeLogits) {
  std::vector<float> first = {1e4F, -1e4F, 0.0F}, second = {0.0F, 0.0F, 0.0F}, scratch(3);
  const std::vector<float> bias(3);
  const int64_t target = 0;
  double nll = 0.0, objective = 0.0, divergence = 0.0;
  twin_cross_entropy(TwinCrossEntropyRows<float>{1, 3, first.data(), second.data(), scratch.data(),
                                                 bias.data(), &target, 0.0, 0.5, &nll, &objective,
                                                 &divergence});
  // KL(p || q) = ln 3; KL(q || p) = -ln 3 + (0 + 20000 + 10000) / 3.
  EXPECT_NEAR(divergence, 1e4, 1e-2);
  EXPECT_NEAR(nll, std::log(3.0), 1e-6);
  for (const std::vector<float>* gradient : {&first, &second}) {
    for (const float slope : *gradient) EXPECT_TRUE(std::isfinite(slope));
  }
}

}  // namespace
}  // namespace attend::kernels
