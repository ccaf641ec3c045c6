#include "train/objective/reinforce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::train {
namespace {

using test::f64;
using test::TensorNear;

nn::AttentionOptions hard() {
  nn::AttentionOptions options;
  options.distribution = nn::DistributionKind::hard;
  options.reward_weight = 3.0;
  options.entropy_bonus = 0.5;
  options.baseline_decay = 0.75;
  return options;
}

/// Two sentences of 3 and 1 words.
torch::Tensor mask() {
  return torch::tensor({true, true, true, true, false, false}).view({2, 3});
}

// Log-probabilities -1, -2, -4 and -3, baseline -2: gains 1, 0, -2 and -1; summed from each word
// on: -1, -2, -2 and -1. Draws log p -0.1, -0.2, -0.3 and -0.4, entropies 1, 2, 3 and 4: -[3 (0.1 +
// 0.4 + 0.6 + 0.4) + 0.5 * 10] = -9.5. Padding does not count.
TEST(ReinforceObjective, RewardsADrawWithTheWordsFromThereOn) {
  const nn::DrawnPositions drawn{f64({-0.1, -0.2, -0.3, -0.4, -7, -7}, {2, 3}),
                                 f64({1, 2, 3, 4, 7, 7}, {2, 3})};
  const auto log_probs = f64({-1, -2, -4, -3, -9, -9}, {2, 3});
  EXPECT_NEAR(reinforce_objective(drawn, log_probs, mask(), hard(), -2.0).item<double>(), -9.5,
              1e-12);
}

TEST(ReinforceObjective, HasNoGradientInTheWords) {
  const nn::DrawnPositions drawn{f64({-0.1, -0.2, -0.3}, {1, 3}).requires_grad_(true),
                                 torch::zeros({1, 3}, torch::kFloat64)};
  const auto log_probs = f64({-1, -2, -4}, {1, 3}).requires_grad_(true);
  reinforce_objective(drawn, log_probs, torch::ones({1, 3}, torch::kBool), hard(), 0.0).backward();
  EXPECT_FALSE(log_probs.grad().defined());
  // The reward is -7, -6, -4, weighted 3, and the objective its negative.
  EXPECT_THAT(drawn.log_prob.grad(), TensorNear(f64({21, 18, 12}, {1, 3}), 1e-12));
}

TEST(RewardBaseline, MovesFromTheUniformDistributionToTheRewards) {
  RewardBaseline baseline(hard(), 8);
  EXPECT_NEAR(baseline.value(), -std::log(8.0), 1e-12);
  baseline.add(-1.0);
  EXPECT_NEAR(baseline.value(), -0.75 * std::log(8.0) - 0.25, 1e-12);
}

TEST(RewardBaseline, StaysZeroWhereNoneIsWanted) {
  nn::AttentionOptions plain = hard();
  plain.baseline = false;
  nn::AttentionOptions gumbel = hard();
  gumbel.estimator = nn::Estimator::gumbel;
  for (const nn::AttentionOptions& options : {plain, gumbel, nn::AttentionOptions()}) {
    RewardBaseline baseline(options, 8);
    baseline.add(-1.0);
    EXPECT_EQ(baseline.value(), 0.0);
    EXPECT_FALSE(baseline.state().defined());
  }
}

}  // namespace
}  // namespace attend::train
