#include "train/update/optimizer.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

#include "nn/execution.h"
#include "tests/support/tensors.h"

namespace attend::train {
namespace {

constexpr double kRate = 0.1;

TrainingOptions options_of(OptimizerKind kind) {
  TrainingOptions options;
  options.optimizer = kind;
  options.adam = {.beta1 = 0.8, .beta2 = 0.9, .epsilon = 0.01};
  return options;
}

/// One parameter with the gradients 3, then -1, in float64 so that formulas hold to 1e-12.
class TwoSteps {
 public:
  explicit TwoSteps(const TrainingOptions& options)
      : values_(torch::tensor({2.0}, torch::kFloat64)),
        optimizer_(make_optimizer(options, values_)) {
    step(3.0, 1);
    step(-1.0, 2);
  }
  [[nodiscard]] double value() const { return values_.item<double>(); }

 private:
  void step(double gradient, int64_t update) {
    const auto gradients = torch::tensor({gradient}, torch::kFloat64);
    optimizer_->apply({.values = values_,
                       .gradients = gradients,
                       .update = update,
                       .learning_rate = kRate,
                       .gradient_scale = 1.0});
    EXPECT_EQ(gradients.item<double>(), 0.0) << "gradients must be left zero";
  }

  torch::Tensor values_;
  std::unique_ptr<Optimizer> optimizer_;
};

/// Kingma & Ba (2015), Alg. 1, written out for two steps.
double adam_after_two_steps(double first, double second, double start) {
  const double m1 = 0.2 * first;
  const double v1 = 0.1 * first * first;
  const double p1 = start - kRate * (m1 / (1 - 0.8)) / (std::sqrt(v1 / (1 - 0.9)) + 0.01);
  const double m2 = 0.8 * m1 + 0.2 * second;
  const double v2 = 0.9 * v1 + 0.1 * second * second;
  return p1 - kRate * (m2 / (1 - 0.64)) / (std::sqrt(v2 / (1 - 0.81)) + 0.01);
}

TEST(Adam, FollowsAlgorithm1WithBiasCorrection) {
  EXPECT_NEAR(TwoSteps(options_of(OptimizerKind::adam)).value(),
              adam_after_two_steps(3.0, -1.0, 2.0), 1e-12);
}

TEST(Adam, AddsWeightDecayToTheGradient) {
  TrainingOptions options = options_of(OptimizerKind::adam);
  options.weight_decay = 0.5;
  // First gradient 3 + 0.5 * 2 = 4: with bias correction the first step is rate * 4 / (4 +
  // epsilon).
  const double p1 = 2.0 - kRate * 4.0 / (4.0 + 0.01);
  const double second = -1.0 + 0.5 * p1;
  const double m2 = 0.8 * 0.2 * 4.0 + 0.2 * second;
  const double v2 = 0.9 * 0.1 * 16.0 + 0.1 * second * second;
  const double p2 = p1 - kRate * (m2 / 0.36) / (std::sqrt(v2 / 0.19) + 0.01);
  EXPECT_NEAR(TwoSteps(options).value(), p2, 1e-12);
}

// Decoupled decay shrinks the parameter by 1 - rate * decay before each step and leaves the moments
// alone. The two Adam steps do not depend on the parameter, so they just add up.
TEST(AdamW, ShrinksTheParameterApartFromTheGradient) {
  TrainingOptions options = options_of(OptimizerKind::adamw);
  options.weight_decay = 0.5;
  const double shrink = 1.0 - kRate * 0.5;
  const double step1 = -kRate * 3.0 / (3.0 + 0.01);
  const double step2 = adam_after_two_steps(3.0, -1.0, 0.0) - step1;
  EXPECT_NEAR(TwoSteps(options).value(), (2.0 * shrink + step1) * shrink + step2, 1e-12);
}

TEST(Sgd, StepsAgainstTheGradient) {
  EXPECT_NEAR(TwoSteps(options_of(OptimizerKind::sgd)).value(), 2.0 - kRate * 3.0 + kRate * 1.0,
              1e-12);
}

TEST(Sgd, MomentumAddsAShareOfTheStepBefore) {
  TrainingOptions options = options_of(OptimizerKind::sgd);
  options.momentum = 0.9;
  EXPECT_NEAR(TwoSteps(options).value(), 2.0 - kRate * 3.0 - kRate * (0.9 * 3.0 - 1.0), 1e-12);
}

TEST(Sgd, AddsWeightDecayToTheGradient) {
  TrainingOptions options = options_of(OptimizerKind::sgd);
  options.weight_decay = 0.5;
  const double p1 = 2.0 - kRate * (3.0 + 0.5 * 2.0);
  EXPECT_NEAR(TwoSteps(options).value(), p1 - kRate * (-1.0 + 0.5 * p1), 1e-12);
}

class EveryOptimizer : public testing::TestWithParam<OptimizerKind> {};

TEST_P(EveryOptimizer, ScalesTheGradientFirst) {
  TrainingOptions options = options_of(GetParam());
  options.momentum = 0.5;
  auto scaled = torch::tensor({2.0, 1.0}, torch::kFloat64);
  auto plain = scaled.clone();
  make_optimizer(options, scaled)
      ->apply({.values = scaled,
               .gradients = torch::tensor({8.0, -4.0}, torch::kFloat64),
               .update = 1,
               .learning_rate = kRate,
               .gradient_scale = 0.25});
  make_optimizer(options, plain)
      ->apply({.values = plain,
               .gradients = torch::tensor({2.0, -1.0}, torch::kFloat64),
               .update = 1,
               .learning_rate = kRate,
               .gradient_scale = 1.0});
  EXPECT_TRUE(torch::allclose(scaled, plain, 0.0, 1e-12));
}

// 300,000 elements are more than two slices; the elements do not depend on each other.
TEST_P(EveryOptimizer, TreatsElementsOfAllSlicesAlike) {
  TrainingOptions options = options_of(GetParam());
  options.momentum = 0.5;
  auto values = torch::full({300'000}, 2.0, torch::kFloat64);
  const auto optimizer = make_optimizer(options, values);
  for (int64_t update = 1; update <= 2; ++update) {
    optimizer->apply({.values = values,
                      .gradients = torch::full_like(values, 3.0),
                      .update = update,
                      .learning_rate = kRate,
                      .gradient_scale = 1.0});
  }
  EXPECT_TRUE((values == values[0]).all().item<bool>());
  EXPECT_LT(values[0].item<double>(), 2.0);
}

/// The result of three updates of random parameters with random gradients.
torch::Tensor after_three_updates(const TrainingOptions& options, torch::ScalarType type,
                                  bool fused) {
  const nn::ExecutionScope scope({.fused = fused});
  const torch::Tensor values = test::random_f64({100'003}, 1).to(type);  // no whole vectors
  const auto optimizer = make_optimizer(options, values);
  for (int64_t update = 1; update <= 3; ++update) {
    const torch::Tensor gradients = test::random_f64({100'003}, 1 + update).to(type);
    optimizer->apply({.values = values,
                      .gradients = gradients,
                      .update = update,
                      .learning_rate = kRate,
                      .gradient_scale = 0.5});
    EXPECT_EQ(gradients.abs().max().item<double>(), 0.0);
  }
  return values;
}

TEST_P(EveryOptimizer, IsTheSameByKernelsAndByLibTorch) {
  TrainingOptions options = options_of(GetParam());
  options.momentum = 0.5;
  for (const double decay : {0.0, 0.25}) {
    options.weight_decay = decay;
    EXPECT_THAT(after_three_updates(options, torch::kFloat64, true),
                test::TensorNear(after_three_updates(options, torch::kFloat64, false), 1e-12));
    EXPECT_THAT(after_three_updates(options, torch::kFloat32, true),
                test::TensorNear(after_three_updates(options, torch::kFloat32, false), 1e-5));
  }
}

TEST_P(EveryOptimizer, DoesNotDependOnTheNumberOfThreads) {
  const TrainingOptions options = options_of(GetParam());
  at::set_num_threads(1);
  const torch::Tensor one = after_three_updates(options, torch::kFloat32, true);
  at::set_num_threads(2);
  EXPECT_THAT(after_three_updates(options, torch::kFloat32, true), test::TensorNear(one, 0.0));
  at::set_num_threads(1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryOptimizer, testing::ValuesIn(enum_values<OptimizerKind>()),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

TEST(SumOfSquares, IsThatOfAllElements) {
  EXPECT_DOUBLE_EQ(sum_of_squares(torch::tensor({3.0F, -4.0F, 12.0F})), 169.0);
}

TEST(SumOfSquares, CoversAllSlices) {
  EXPECT_NEAR(sum_of_squares(torch::full({360'000}, 2.0F)), 4.0 * 360'000.0, 1e-6);
}

TEST(SumOfSquares, IsNotFiniteIfAnElementIsNot) {
  auto buffer = torch::zeros({300'000});
  buffer[299'999] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(sum_of_squares(buffer)));
}

TEST(ClipScale, BringsALongGradientToTheLimit) {
  EXPECT_DOUBLE_EQ(clip_scale(8.0, 2.0), 0.25);
}

TEST(ClipScale, LeavesAShortGradientAlone) {
  EXPECT_DOUBLE_EQ(clip_scale(1.5, 2.0), 1.0);
}

TEST(ClipScale, IsOffAtZero) {
  EXPECT_DOUBLE_EQ(clip_scale(1e9, 0.0), 1.0);
}

}  // namespace
}  // namespace attend::train
