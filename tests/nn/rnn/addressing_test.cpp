#include "nn/rnn/addressing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

// Cosines 1, 0 and -1 times ln 2: weights in the ratio 2 : 1 : 1/2.
TEST(Addressing, FindsSlotsByTheirDirectionByHand) {
  const auto memory = f64({3, 0, 0, 1, -1, 0}, {1, 3, 2});
  EXPECT_THAT(content_weights(memory, f64({2, 0}, {1, 1, 2}), f64({std::log(2.0)}, {1, 1})),
              TensorNear(f64({4. / 7, 2. / 7, 1. / 7}, {1, 1, 3}), 1e-5));
}

TEST(Addressing, TakesAllSlotsOfAnEmptyMemoryAlikeWithAFiniteGradient) {
  const auto memory = torch::zeros({1, 4, 2}, torch::kFloat64).requires_grad_();
  const auto weights = content_weights(memory, f64({2, 0}, {1, 1, 2}), f64({7}, {1, 1}));
  EXPECT_THAT(weights.detach(), TensorNear(torch::full({1, 1, 4}, 0.25, torch::kFloat64), 1e-12));
  weights[0][0][1].backward();
  EXPECT_TRUE(memory.grad().isfinite().all().item<bool>());
  EXPECT_GT(memory.grad().abs().max().item<double>(), 0.0);
}

// The shift moves 0.1 of each weight to the previous slot and 0.3 to the next. The first slot gets
// 0.1 * 0.3 + 0.6 * 0.5 + 0.3 * 0.2, since the last slot precedes it.
TEST(Addressing, ShiftsWeightsAroundByHand) {
  EXPECT_THAT(shifted(f64({0.5, 0.3, 0.2}, {1, 1, 3}), f64({0.1, 0.6, 0.3}, {1, 1, 3})),
              TensorNear(f64({0.39, 0.35, 0.26}, {1, 1, 3}), 1e-12));
}

TEST(Addressing, SharpensEachHeadByItsExponentByHand) {
  EXPECT_THAT(
      sharpened(f64({0.5, 0.3, 0.2, 0.2, 0.2, 0.6}, {1, 2, 3}), f64({2, 1}, {1, 2})),
      TensorNear(f64({0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38, 0.2, 0.2, 0.6}, {1, 2, 3}), 1e-12));
}

// (1/3)^200 underflows in float32.
TEST(Addressing, SharpeningNeverLosesAllWeight) {
  const auto weights = sharpened(torch::full({1, 1, 3}, 1.0 / 3), torch::full({1, 1}, 200.0));
  EXPECT_THAT(weights, TensorNear(torch::full({1, 1, 3}, 1.0 / 3), 1e-6));
}

// A head may have zero weights, for example if it follows links from slots that it did not read.
TEST(Addressing, SharpeningAHeadWithoutWeightLeavesItSoWithAFiniteGradient) {
  const auto weights = torch::zeros({1, 1, 3}, torch::kFloat64).requires_grad_();
  const auto exponents = f64({1.5}, {1, 1}).requires_grad_();
  const auto sharp = sharpened(weights, exponents);
  EXPECT_THAT(sharp.detach(), TensorNear(torch::zeros({1, 1, 3}, torch::kFloat64), 0.0));
  sharp.sum().backward();
  EXPECT_TRUE(weights.grad().isfinite().all().item<bool>());
  EXPECT_TRUE(exponents.grad().isfinite().all().item<bool>());
}

// The second slot is chosen with weight 1/2: 3 (1 - 0.5) + 5 and 4 (1 - 0.25) + 10.
TEST(Addressing, ErasesAndAddsByHand) {
  const auto memory = f64({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  EXPECT_THAT(
      written(memory, f64({0, 0.5, 1}, {1, 3}), f64({1, 0.5}, {1, 2}), f64({10, 20}, {1, 2})),
      TensorNear(f64({1, 2, 6.5, 13, 10, 23}, {1, 3, 2}), 1e-12));
}

TEST(Addressing, ReadsTheMixOfSlotsByHand) {
  const auto memory = f64({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  EXPECT_THAT(read_slots(memory, f64({1, 0, 0, 0, 0.5, 0.5}, {1, 2, 3})),
              TensorNear(f64({1, 2, 4, 5}, {1, 2, 2}), 1e-12));
}

// In the order of usage 0.1, 0.5, 0.8: 0.9, then 0.5 * 0.1, then 0.2 * 0.1 * 0.5.
TEST(Addressing, AllocatesWhatIsLeastInUseByHand) {
  EXPECT_THAT(allocation(f64({0.5, 0.1, 0.8}, {1, 3})),
              TensorNear(f64({0.05, 0.9, 0.01}, {1, 3}), 1e-5));
}

// The gradient of (1 - u_0) + (1 - u_1) u_0 with respect to u_0 is -u_1, however small usages are.
TEST(Addressing, AllocatesUnusedSlotsWithAFiniteGradient) {
  const auto usage = torch::zeros({1, 64}, torch::kFloat32).requires_grad_();
  const auto weights = allocation(usage);
  (weights[0][0] + weights[0][1]).backward();
  EXPECT_NEAR(usage.grad()[0][0].item<float>(), -1e-6, 1e-7);
  EXPECT_TRUE(usage.grad().isfinite().all().item<bool>());
}

TEST(Addressing, AllocatesTheFirstOfUnusedSlots) {
  EXPECT_THAT(allocation(torch::zeros({1, 5}, torch::kFloat64)),
              TensorNear(f64({1, 0, 0, 0, 0}, {1, 5}), 1e-5));
}

}  // namespace
}  // namespace attend::nn
