#include "decode/attention/rollout.h"

#include <gtest/gtest.h>

#include "tests/support/tensors.h"

namespace attend::decode {
namespace {

using test::f64;
using test::TensorNear;

// A_1 = (W_1 + I) / 2 = [1 0; 1/4 3/4]; the heads of layer 2 have the mean [1/2 1/2; 1 0], so that
// A_2 = [3/4 1/4; 1/2 1/2]. A_2 A_1 = [3/4 + 1/16, 3/16; 1/2 + 1/8, 3/8].
TEST(Rollout, EqualsTheProductWorkedOutByHand) {
  const torch::Tensor first = f64({1, 0, 0.5, 0.5}, {1, 2, 2});
  const torch::Tensor second = f64({0, 1, 1, 0, 1, 0, 1, 0}, {2, 2, 2});
  EXPECT_THAT(rollout({first, second}),
              TensorNear(f64({13.0 / 16, 3.0 / 16, 5.0 / 8, 3.0 / 8}, {2, 2}), 1e-12));
}

// [2 2] is scaled to [1/2 1/2], and a row of zeros becomes the position itself.
TEST(Rollout, ScalesRowsOfAnySum) {
  EXPECT_THAT(rollout({f64({2, 2, 0, 0}, {1, 2, 2})}),
              TensorNear(f64({0.75, 0.25, 0, 1}, {2, 2}), 1e-12));
}

TEST(Rollout, KeepsToTheTypeOfTheWeights) {
  EXPECT_EQ(rollout({torch::eye(3).unsqueeze(0)}).scalar_type(), torch::kFloat);
}

}  // namespace
}  // namespace attend::decode
