#include "kernels/output/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kPredictions = 9, kClasses = 35;

template <class T>
struct Predictions {
  std::vector<T> logits = noise<T>(kPredictions * kClasses, 1);
  std::vector<T> bias = noise<T>(kClasses, 2);
  std::vector<int64_t> targets = {0, 34, 17, 3, 3, 16, 15, 33, 1};
  double smoothing = 0.0;
  std::vector<double> nll = std::vector<double>(kPredictions);
  std::vector<double> objective = std::vector<double>(kPredictions);

  void run() {
    cross_entropy(CrossEntropyRows<T>{.rows = kPredictions,
                                      .classes = kClasses,
                                      .logits = logits.data(),
                                      .bias = bias.data(),
                                      .targets = targets.data(),
                                      .smoothing = smoothing,
                                      .nll = nll.data(),
                                      .objective = objective.data()});
  }
};

/// log p of one class.
template <class T>
double log_probability(const Predictions<T>& x, int64_t row, int64_t of) {
  const auto logit = [&](int64_t k) {
    return static_cast<double>(x.logits[static_cast<std::size_t>(row * kClasses + k)]) +
           static_cast<double>(x.bias[static_cast<std::size_t>(k)]);
  };
  double sum = 0.0;
  for (int64_t k = 0; k < kClasses; ++k) sum += std::exp(logit(k));
  return logit(of) - std::log(sum);
}

template <class T>
class CrossEntropyTest : public testing::Test {};
TYPED_TEST_SUITE(CrossEntropyTest, FloatAndDouble);

TYPED_TEST(CrossEntropyTest, ComputesItsFormula) {
  for (const double smoothing : {0.0, 0.1}) {
    Predictions<TypeParam> x;
    x.smoothing = smoothing;
    const Predictions<TypeParam> before = x;
    x.run();
    for (int64_t row = 0; row < kPredictions; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const double nll = -log_probability(before, row, x.targets[at]);
      double mean = 0.0;
      for (int64_t k = 0; k < kClasses; ++k) mean -= log_probability(before, row, k) / kClasses;
      EXPECT_NEAR(x.nll[at], nll, kTolerance<TypeParam>);
      EXPECT_NEAR(x.objective[at], (1.0 - smoothing) * nll + smoothing * mean,
                  kTolerance<TypeParam>);
    }
  }
}

TEST(CrossEntropyGradient, MatchesCentralDifferences) {
  for (const double smoothing : {0.0, 0.1}) {
    Predictions<double> input;
    input.smoothing = smoothing;
    const auto objective = [&] {
      Predictions<double> x = input;
      x.run();
      double sum = 0.0;
      for (const double of_row : x.objective) sum += of_row;
      return sum;
    };
    Predictions<double> x = input;
    x.run();
    expect_slopes(input.logits, x.logits, objective, "logits");
  }
}

TEST(CrossEntropyGradient, IsTheSameInFloat) {
  Predictions<float> narrow;
  Predictions<double> wide;
  narrow.smoothing = wide.smoothing = 0.1;
  narrow.run();
  wide.run();
  expect_near(narrow.logits, wide.logits, kTolerance<float>);
}

TEST(CrossEntropy, SurvivesHugeLogits) {
  std::vector<float> logits = {1e4F, -1e4F, 0.0F};
  const std::vector<float> bias(3);
  const int64_t target = 1;
  double nll = 0.0, objective = 0.0;
  cross_entropy(
      CrossEntropyRows<float>{1, 3, logits.data(), bias.data(), &target, 0.0, &nll, &objective});
  EXPECT_DOUBLE_EQ(nll, 2e4);
  expect_near(logits, std::vector<double>{1.0, -1.0, 0.0}, 1e-30);
}

}  // namespace
}  // namespace attend::kernels
