// The fused parts of transformer layers: products with weights, residual connections with layer
// normalisation, and the activation of a feed-forward network.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

#include "nn/dropout.h"
#include "nn/execution.h"
#include "nn/fused/add_norm.h"
#include "nn/fused/linear.h"
#include "nn/fused/rectify.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;
using torch::Tensor;

// Sizes that are not multiples of the blocks of a kernel or of a mask.
constexpr int64_t kRows = 71, kSize = 21;

Tensor leaf(const std::vector<int64_t>& sizes, uint64_t seed) {
  return random_f64(sizes, seed).set_requires_grad(true);
}

struct NormLeaves {
  Tensor x = leaf({kRows, kSize}, 201), part = leaf({kRows, kSize}, 202);
  Tensor gain = leaf({kSize}, 203), bias = leaf({kSize}, 204);
  Tensor of_sum = random_f64({kRows, kSize}, 205), of_norm = random_f64({kRows, kSize}, 206);

  /// Depends on both results.
  [[nodiscard]] Tensor objective(const fused::AddedNorm& added) const {
    return (added.sum * of_sum).sum() + (added.norm * of_norm).sum();
  }
  [[nodiscard]] std::vector<Tensor> all() const { return {x, part, gain, bias}; }
};

const DropoutMask kMask{0.4, {77, 0, {}}};

// x = (1, 2), part = (0, 1) and x = (5, 2), part = (0, 3): sums (1, 3) and (5, 5), means 2 and 5,
// variances 1 and 0.
TEST(FusedAddNorm, FollowsEquation4OfBaEtAl) {
  const fused::AddedNorm added = fused::add_norm({.x = f64({1, 2, 5, 2}, {2, 2}),
                                                  .part = f64({0, 1, 0, 3}, {2, 2}),
                                                  .gain = f64({2, 3}, {2}),
                                                  .bias = f64({10, 20}, {2})});
  const double unit = 1 / std::sqrt(1 + 1e-5);
  EXPECT_THAT(added.sum, TensorEq(f64({1, 3, 5, 5}, {2, 2})));
  EXPECT_THAT(added.norm, TensorNear(f64({10 - 2 * unit, 20 + 3 * unit, 10, 20}, {2, 2}), 1e-12));
}

TEST(FusedAddNorm, AndItsGradientsAreThePlainOnes) {
  for (const double probability : {0.0, 0.4}) {
    const NormLeaves leaves;
    const DropoutMask mask{probability, {77, 0, {}}};
    const Tensor sum = leaves.x + dropout(leaves.part, mask);
    const fused::AddedNorm plain{sum, at::layer_norm(sum, {kSize}, leaves.gain, leaves.bias)};
    const fused::AddedNorm added = fused::add_norm({.x = leaves.x,
                                                    .part = leaves.part,
                                                    .dropout = mask,
                                                    .gain = leaves.gain,
                                                    .bias = leaves.bias});
    EXPECT_THAT(added.sum, TensorNear(plain.sum, 1e-14));
    EXPECT_THAT(added.norm, TensorNear(plain.norm, 1e-12));
    const auto expected = torch::autograd::grad({leaves.objective(plain)}, leaves.all());
    const auto gradients = torch::autograd::grad({leaves.objective(added)}, leaves.all());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_THAT(gradients[i], TensorNear(expected[i], 1e-11)) << i;
    }
  }
}

TEST(FusedAddNorm, HasTheGradientsOfCentralDifferences) {
  const NormLeaves leaves;
  const auto objective = [&] {
    return leaves.objective(fused::add_norm({.x = leaves.x,
                                             .part = leaves.part,
                                             .dropout = kMask,
                                             .gain = leaves.gain,
                                             .bias = leaves.bias}));
  };
  EXPECT_LT(test::max_directional_error(objective, leaves.all()), 1e-6);
}

TEST(FusedAddNorm, TakesAMissingGradientAsZero) {
  const NormLeaves leaves;
  const fused::AddedNorm added = fused::add_norm(
      {.x = leaves.x, .part = leaves.part, .gain = leaves.gain, .bias = leaves.bias});
  EXPECT_THAT(torch::autograd::grad({added.sum.sum()}, {leaves.x}).front(),
              TensorEq(torch::ones({kRows, kSize}, torch::kFloat64)));
}

TEST(FusedAddNorm, IsTheSameOnTwoThreads) {
  const int before = at::get_num_threads();
  const NormLeaves leaves;
  std::vector<std::vector<Tensor>> gradients;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    gradients.push_back(
        torch::autograd::grad({leaves.objective(fused::add_norm({.x = leaves.x,
                                                                 .part = leaves.part,
                                                                 .dropout = kMask,
                                                                 .gain = leaves.gain,
                                                                 .bias = leaves.bias}))},
                              leaves.all()));
  }
  at::set_num_threads(before);
  for (std::size_t i = 0; i < gradients[0].size(); ++i) {
    EXPECT_TRUE(gradients[0][i].equal(gradients[1][i])) << i;
  }
}

// 2 - 1 = 1 and -3 + 1 < 0; the gradient is that of positive sums only.
TEST(FusedRectify, CutsOffWhatIsNegativeByHand) {
  const Tensor x = f64({2, -3}, {1, 2}).set_requires_grad(true);
  const Tensor bias = f64({-1, 1}, {2}).set_requires_grad(true);
  const Tensor y = fused::rectify(x, bias, {});
  EXPECT_THAT(y, TensorEq(f64({1, 0}, {1, 2})));
  const auto gradients = torch::autograd::grad({(y * f64({5, 7}, {2})).sum()}, {x, bias});
  EXPECT_THAT(gradients[0], TensorEq(f64({5, 0}, {1, 2})));
  EXPECT_THAT(gradients[1], TensorEq(f64({5, 0}, {2})));
}

TEST(FusedRectify, WithDropoutIsThePlainOne) {
  const Tensor x = leaf({kRows, kSize}, 301), bias = leaf({kSize}, 302);
  const Tensor weights = random_f64({kRows, kSize}, 303);
  const Tensor plain = dropout((x + bias).relu(), kMask), y = fused::rectify(x, bias, kMask);
  EXPECT_THAT(y, TensorNear(plain, 1e-14));
  const auto expected = torch::autograd::grad({(plain * weights).sum()}, {x, bias});
  const auto gradients = torch::autograd::grad({(y * weights).sum()}, {x, bias});
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_THAT(gradients[i], TensorNear(expected[i], 1e-12)) << i;
}

TEST(FusedRectify, PropagatesNan) {
  const Tensor x = torch::full({1, 2}, std::numeric_limits<double>::quiet_NaN(), torch::kFloat64);
  EXPECT_TRUE(fused::rectify(x, f64({0, 0}, {2}), {}).isnan().all().item<bool>());
}

TEST(FusedLinear, HasTheGradientsOfCentralDifferences) {
  const Tensor x = leaf({3, 5, 7}, 401), weight = leaf({6, 7}, 402), bias = leaf({6}, 403);
  const Tensor weights = random_f64({3, 5, 6}, 404);
  EXPECT_THAT(fused::linear(x, weight, bias), TensorNear(at::linear(x, weight, bias), 1e-13));
  const auto objective = [&] { return (fused::linear(x, weight, bias) * weights).sum(); };
  EXPECT_LT(test::max_gradient_error(objective, {x, weight, bias}), 1e-6);
}

TEST(FusedLinear, OfSeveralWeightsMultipliesByEach) {
  const Tensor x = leaf({4, 7}, 411), first = leaf({6, 7}, 412), second = leaf({3, 7}, 413);
  const auto [one, two, none] = fused::linears(x, {first, second, {}});
  EXPECT_FALSE(none.defined());
  const Tensor of_one = random_f64({4, 6}, 414), of_two = random_f64({4, 3}, 415);
  const Tensor objective = (one * of_one).sum() + (two * of_two).sum();
  const auto gradients = torch::autograd::grad({objective}, {x, first, second});
  EXPECT_THAT(gradients[0], TensorNear(of_one.matmul(first) + of_two.matmul(second), 1e-13));
  EXPECT_THAT(gradients[1], TensorNear(of_one.t().matmul(x), 1e-13));
  EXPECT_THAT(gradients[2], TensorNear(of_two.t().matmul(x), 1e-13));
}

TEST(FusedLinear, IgnoresAnUnusedProductInItsGradient) {
  const Tensor x = leaf({4, 7}, 421), first = leaf({6, 7}, 422), second = leaf({3, 7}, 423);
  const auto products = fused::linears(x, {first, second, {}});
  EXPECT_THAT(torch::autograd::grad({products[1].sum()}, {x}).front(),
              TensorNear(torch::ones({4, 3}, torch::kFloat64).matmul(second), 1e-13));
}

TEST(FusedLayers, AddTheGradientsOfParametersInPlace) {
  const GradientMemory memory{random_f64({2 * kSize * kSize}, 501),
                              torch::ones({2 * kSize * kSize}, torch::kFloat64)};
  const Tensor weight =
      memory.values.narrow(0, 0, kSize * kSize).view({kSize, kSize}).requires_grad_();
  const Tensor bias = memory.values.narrow(0, kSize * kSize, kSize).requires_grad_();
  const Tensor x = leaf({5, kSize}, 502);
  const ExecutionScope scope({.gradients = &memory});
  fused::rectify(fused::linear(x, weight), bias, {}).sum().backward();
  EXPECT_FALSE(weight.grad().defined());
  EXPECT_FALSE(bias.grad().defined());
  const Tensor positive = (x.matmul(weight.t()) + bias).gt(0).to(torch::kFloat64);
  EXPECT_THAT(memory.gradients.narrow(0, 0, kSize * kSize).view({kSize, kSize}),
              TensorNear(positive.t().matmul(x) + 1, 1e-12));
  EXPECT_THAT(memory.gradients.narrow(0, kSize * kSize, kSize),
              TensorNear(positive.sum(0) + 1, 1e-12));
}

}  // namespace
}  // namespace attend::nn
