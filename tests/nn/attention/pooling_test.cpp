#include "nn/attention/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

// With W = 1, b = 0 and u_w = (ln 3 / tanh 1, 0), the energies of (1, 2) and (0, 4) are ln 3 and 0:
// weights 3/4 and 1/4, and the vector (3/4, 5/2). Masked positions get no weight.
TEST(AttentionPooling, WeighsStatesByHand) {
  AttentionPooling pooling(2);
  pooling.to(torch::kFloat64);
  test::set_parameter(pooling, "weight", f64({1, 0, 0, 1}, {2, 2}));
  test::set_parameter(pooling, "bias", f64({0, 0}, {2}));
  test::set_parameter(pooling, "query", f64({std::log(3.0) / std::tanh(1.0), 0}, {2}));
  const auto states = f64({1, 2, 0, 4, 9, 9}, {1, 3, 2});
  const auto mask = torch::tensor({{true, true, false}});
  const AttentionPooling::Pooled pooled = pooling.forward(states, mask);
  EXPECT_THAT(pooled.weights, TensorNear(f64({0.75, 0.25, 0}, {1, 3}), 1e-12));
  EXPECT_THAT(pooled.vectors, TensorNear(f64({0.75, 2.5}, {1, 2}), 1e-12));
  EXPECT_THAT(pooled.weights[0][2], TensorEq(f64({0}, {})));
}

TEST(AttentionPooling, GradientsMatchCentralDifferences) {
  AttentionPooling pooling(3);
  test::randomize(pooling, 5);
  const auto states = random_f64({2, 4, 3}, 6);
  const auto mask = test::mask_of(torch::tensor({4, 2}, torch::kInt64), 4);
  const auto function = [&] { return pooling.forward(states, mask).vectors.square().sum(); };
  EXPECT_LT(test::max_directional_error(function, test::leaves(pooling, {states})), 1e-6);
}

}  // namespace
}  // namespace attend::nn
