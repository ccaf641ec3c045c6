#include "train/objective/alignment_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::train {
namespace {

/// Two sentences of two target and three source positions. The first row's goal is one position,
/// the second's two; the third and fourth rows have none.
torch::Tensor goals() {
  return test::f64({0, 1, 0, 0.5, 0, 0.5, 0, 0, 0, 0, 0, 0}, {2, 2, 3});
}
torch::Tensor weights() {
  return test::f64({0.25, 0.5, 0.25, 0.2, 0.3, 0.5, 1, 0, 0, 0.4, 0.6, 0}, {2, 2, 3});
}

TEST(AlignmentLoss, CrossEntropyByHand) {
  // -ln 0.5 for the first row, -(ln 0.2 + ln 0.5) / 2 for the second.
  const double expected = -std::log(0.5) - 0.5 * (std::log(0.2) + std::log(0.5));
  EXPECT_NEAR(alignment_loss(AlignmentLoss::cross_entropy, weights(), goals()).item<double>(),
              expected, 1e-12);
}

TEST(AlignmentLoss, SquaredErrorByHand) {
  // First row: 0.25^2 + 0.5^2 + 0.25^2 = 0.375; second: 0.3^2 + 0.3^2 + 0 = 0.18.
  EXPECT_NEAR(alignment_loss(AlignmentLoss::squared_error, weights(), goals()).item<double>(),
              0.5 * (0.375 + 0.18), 1e-12);
}

TEST(AlignmentLoss, GradientsMatchCentralDifferences) {
  for (const AlignmentLoss kind : enum_values<AlignmentLoss>()) {
    const torch::Tensor energies = test::random_f64({2, 2, 3}, 1).requires_grad_();
    EXPECT_LT(test::max_gradient_error(
                  [&] { return alignment_loss(kind, energies.softmax(2), goals()); }, {energies}),
              1e-6)
        << enum_name(kind);
  }
}

TEST(AlignmentLoss, IsFiniteWhereAWeightIsZero) {
  const torch::Tensor zero = torch::zeros({2, 2, 3}, torch::kFloat).requires_grad_();
  const torch::Tensor loss = alignment_loss(AlignmentLoss::cross_entropy, zero, goals());
  loss.backward();
  EXPECT_NEAR(loss.item<double>(), -2 * std::log(1e-30), 1e-3);
  EXPECT_EQ(zero.grad().abs().sum().item<double>(), 0.0);
}

TEST(AlignmentLoss, PushesTinyWeightsAsHardAsOthers) {
  // d(-log softmax_1) / d energy_1 = softmax_1 - 1, also where softmax_1 = e^-40.
  const torch::Tensor energies =
      torch::tensor({40.0F, 0.0F, -60.0F}).view({1, 1, 3}).requires_grad_();
  const torch::Tensor goal = torch::tensor({0.0F, 1.0F, 0.0F}).view({1, 1, 3});
  alignment_loss(AlignmentLoss::cross_entropy, energies.softmax(2), goal).backward();
  EXPECT_NEAR(energies.grad()[0][0][1].item<double>(), -1.0, 1e-4);
}

}  // namespace
}  // namespace attend::train
