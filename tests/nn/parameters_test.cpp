#include "nn/parameters.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::TensorEq;
using test::TensorNear;

at::Generator generator(uint64_t seed = 3) {
  return at::detail::createCPUGenerator(seed);
}

double largest(const torch::Tensor& x) {
  return x.abs().max().item<double>();
}
double deviation(const torch::Tensor& x) {
  return x.std().item<double>();
}

// The largest of 6,000 uniform draws exceeds 0.99 of the bound with probability 1 - e^-60. The
// standard deviation of a uniform variable on +-a is a / sqrt(3).
TEST(XavierUniform, FillsTheIntervalOfGlorotAndBengio) {
  const auto weight = torch::zeros({60, 100});
  xavier_uniform(weight, generator());
  const double bound = std::sqrt(6.0 / (100 + 60));
  EXPECT_LE(largest(weight), bound);
  EXPECT_GT(largest(weight), 0.99 * bound);
  EXPECT_NEAR(deviation(weight), bound / std::sqrt(3.0), 0.03 * bound);
}

TEST(XavierUniform, CountsTheRowsOfOneGateAsOutputs) {
  const auto weight = torch::zeros({3 * 20, 100});
  xavier_uniform(weight, generator(), /*gates=*/3);
  const double bound = std::sqrt(6.0 / (100 + 20));
  EXPECT_LE(largest(weight), bound);
  EXPECT_GT(largest(weight), 0.99 * bound);
}

TEST(Orthogonal, MakesEachGateAnOrthogonalMatrixOfItsOwn) {
  const auto weight = torch::zeros({3 * 5, 5}, torch::kFloat64);
  orthogonal(weight, generator(), /*gates=*/3);
  const auto identity = torch::eye(5, torch::kFloat64);
  for (const torch::Tensor& block : weight.chunk(3, 0)) {
    EXPECT_THAT(at::mm(block, block.t()), TensorNear(identity, 1e-12));
  }
  EXPECT_GT(largest(weight.slice(0, 0, 5) - weight.slice(0, 5, 10)), 0.1);
}

TEST(Orthogonal, IsUniformSoThatDiagonalsHaveBothSigns) {
  const auto weight = torch::zeros({40 * 2, 2}, torch::kFloat64);
  orthogonal(weight, generator(), /*gates=*/40);
  const auto corners = weight.view({40, 2, 2}).select(1, 0).select(1, 0);  // [40]
  const auto positive = corners.gt(0).sum().item<int64_t>();
  EXPECT_GT(positive, 8);  // 20 expected, standard deviation 3.2
  EXPECT_LT(positive, 32);
}

TEST(Normal, HasTheDeviation) {
  const auto weight = torch::zeros({60, 100});
  normal(weight, 0.25, generator());
  EXPECT_NEAR(deviation(weight), 0.25, 0.01);
  EXPECT_NEAR(weight.mean().item<double>(), 0.0, 0.015);
}

TEST(Normal, IsTheSameForTheSameGenerator) {
  const auto first = torch::zeros({3, 4});
  const auto second = torch::zeros({3, 4});
  const auto other = torch::zeros({3, 4});
  normal(first, 1.0, generator(7));
  normal(second, 1.0, generator(7));
  normal(other, 1.0, generator(8));
  EXPECT_THAT(second, TensorEq(first));
  EXPECT_FALSE(torch::equal(first, other));
}

}  // namespace
}  // namespace attend::nn
