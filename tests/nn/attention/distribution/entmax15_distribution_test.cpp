#include "nn/attention/distribution/entmax15_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <limits>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

torch::Tensor everywhere(int64_t positions) {
  return torch::ones({1, 1, positions}, torch::kBool);
}

torch::Tensor weights(const torch::Tensor& energies) {
  return Entmax15Distribution(AttentionOptions()).weights(energies, everywhere(energies.size(2)));
}

// Half the energies: 0.5, 0.3, -0.5. tau = -0.3 gives (0.8^2, 0.6^2, 0), which sums to 1.
TEST(Entmax15Distribution, EqualsItsDefinitionByHand) {
  EXPECT_THAT(weights(f64({0.6, -1, 1}, {1, 1, 3})),
              TensorNear(f64({0.36, 0, 0.64}, {1, 1, 3}), 1e-12));
  EXPECT_THAT(weights(f64({1000.6, 999, 1001}, {1, 1, 3})),
              TensorNear(f64({0.36, 0, 0.64}, {1, 1, 3}), 1e-9));
}

TEST(Entmax15Distribution, SharesEquallyBetweenEqualEnergies) {
  EXPECT_THAT(weights(f64({2, 2, 2, 2}, {1, 1, 4})),
              TensorNear(torch::full({1, 1, 4}, 0.25), 1e-12));
}

// s = (0.6, 0, 0.8), g = (1, 7, 3): s (g - (0.6 + 2.4) / 1.4) = (0.6 * -8/7, 0, 0.8 * 6/7).
TEST(Entmax15Distribution, GradientIsTheClosedForm) {
  const auto energies = f64({0.6, -1, 1}, {1, 1, 3}).requires_grad_(true);
  weights(energies).backward(f64({1, 7, 3}, {1, 1, 3}));
  EXPECT_THAT(energies.grad(), TensorNear(f64({-4.8 / 7, 0, 4.8 / 7}, {1, 1, 3}), 1e-12));
}

TEST(Entmax15Distribution, SumsToOneOverAHundredPositionsInSinglePrecision) {
  const auto energies = test::random_f64({1, 7, 100}, 3).to(torch::kFloat32) * 0.01 + 50;
  EXPECT_THAT(Entmax15Distribution(AttentionOptions()).weights(energies, everywhere(100)).sum(2),
              TensorNear(torch::ones({1, 7}), 1e-4));
}

// Regression: a NaN gave "index -1 is out of bounds" and a request to report a bug. It must
// propagate, as with softmax, so that the trainer handles it.
TEST(Entmax15Distribution, LetsANumberThatIsNoneGoOn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto energies = f64({0, nan, 1, 0.5, -1, 1}, {1, 2, 3});
  const torch::Tensor result =
      Entmax15Distribution(AttentionOptions()).weights(energies, everywhere(3));
  EXPECT_TRUE(result.select(1, 0).isnan().any().item<bool>());
  EXPECT_FALSE(result.select(1, 1).isnan().any().item<bool>()) << "the row without NaN";
}

TEST(Entmax15Distribution, DoesNotMindWhatIsHidden) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto mask = torch::tensor({true, false}).view({1, 1, 2});
  EXPECT_THAT(Entmax15Distribution(AttentionOptions()).weights(f64({3, nan}, {1, 1, 2}), mask),
              TensorNear(f64({1, 0}, {1, 1, 2}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
