#include "nn/attention/distribution/sparsemax_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <limits>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

torch::Tensor all_seen(int64_t positions) {
  return torch::ones({1, 1, positions}, torch::kBool);
}

torch::Tensor sparsemax_of(const torch::Tensor& energies) {
  return SparsemaxDistribution(AttentionOptions()).weights(energies, all_seen(energies.size(2)));
}

// Sorted 1, 0.5, -1: 1 + 2 * 0.5 > 1.5, but 1 - 3 < 0.5, so the support has two positions and tau =
// (1.5 - 1) / 2. Neither the order nor a number added to all energies matters.
TEST(SparsemaxDistribution, EqualsMartinsAlgorithm1ByHand) {
  EXPECT_THAT(sparsemax_of(f64({0.5, -1, 1}, {1, 1, 3})),
              TensorNear(f64({0.25, 0, 0.75}, {1, 1, 3}), 1e-12));
  EXPECT_THAT(sparsemax_of(f64({1000.5, 999, 1001}, {1, 1, 3})),
              TensorNear(f64({0.25, 0, 0.75}, {1, 1, 3}), 1e-12));
}

TEST(SparsemaxDistribution, GivesAllToAPositionThatIsOneAbove) {
  EXPECT_THAT(sparsemax_of(f64({0, 1, -1e20}, {1, 1, 3})),
              TensorNear(f64({0, 1, 0}, {1, 1, 3}), 1e-12));
}

// The gradient (3 7 1) minus its mean 2 on the support {0, 2}.
TEST(SparsemaxDistribution, GradientIsCenteredOnTheSupport) {
  const auto energies = f64({0.5, -1, 1}, {1, 1, 3}).requires_grad_(true);
  sparsemax_of(energies).backward(f64({3, 7, 1}, {1, 1, 3}));
  EXPECT_THAT(energies.grad(), TensorNear(f64({1, 0, -1}, {1, 1, 3}), 1e-12));
}

TEST(SparsemaxDistribution, SumsToOneOverAHundredPositionsInSinglePrecision) {
  const auto energies = test::random_f64({1, 7, 100}, 3).to(torch::kFloat32) * 0.01 + 50;
  EXPECT_THAT(SparsemaxDistribution(AttentionOptions()).weights(energies, all_seen(100)).sum(2),
              TensorNear(torch::ones({1, 7}), 1e-4));
}

// Regression: a NaN gave "index -1 is out of bounds" and a request to report a bug. It must
// propagate, as with softmax, so that the trainer handles it.
TEST(SparsemaxDistribution, LetsANumberThatIsNoneGoOn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto energies = f64({0, nan, 1, 0.5, -1, 1}, {1, 2, 3});
  const torch::Tensor result =
      SparsemaxDistribution(AttentionOptions()).weights(energies, all_seen(3));
  EXPECT_TRUE(result.select(1, 0).isnan().any().item<bool>());
  EXPECT_FALSE(result.select(1, 1).isnan().any().item<bool>()) << "the row without NaN";
}

TEST(SparsemaxDistribution, DoesNotMindWhatIsHidden) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto mask = torch::tensor({true, false}).view({1, 1, 2});
  EXPECT_THAT(SparsemaxDistribution(AttentionOptions()).weights(f64({3, nan}, {1, 1, 2}), mask),
              TensorNear(f64({1, 0}, {1, 1, 2}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
