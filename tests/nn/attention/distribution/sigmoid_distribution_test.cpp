#include "nn/attention/distribution/sigmoid_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

/// Weights for the energies 0, log 3 and a masked 100.
torch::Tensor sigmoid_example(bool sum_to_one) {
  AttentionOptions options;
  options.sum_to_one = sum_to_one;
  return SigmoidDistribution(options).weights(f64({0, std::log(3.0), 100}, {1, 1, 3}),
                                              torch::tensor({true, true, false}).view({1, 1, 3}));
}

TEST(SigmoidDistribution, WeighsEachPositionByItself) {
  EXPECT_THAT(sigmoid_example(false), TensorNear(f64({0.5, 0.75, 0}, {1, 1, 3}), 1e-12));
}

TEST(SigmoidDistribution, DividesByTheSumIfAsked) {
  EXPECT_THAT(sigmoid_example(true), TensorNear(f64({0.4, 0.6, 0}, {1, 1, 3}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
