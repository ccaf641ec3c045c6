#include "train/update/flat_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "train/update/moving_average.h"

namespace attend::train {
namespace {

/// w [3, 5] and b [2]; `tied` is w under a second name.
struct Toy : torch::nn::Module {
  Toy()
      : weight(register_parameter("w", torch::arange(15, torch::kFloat32).view({3, 5}))),
        bias(register_parameter("b", torch::tensor({-1.0F, -2.0F}))) {
    register_parameter("tied", weight);
  }
  [[nodiscard]] torch::Tensor loss() const { return (weight * weight).sum() + 3.0 * bias.sum(); }

  torch::Tensor weight;
  torch::Tensor bias;
};

TEST(FlatParameters, KeepTheValues) {
  Toy toy;
  const FlatParameters flat(toy);
  EXPECT_TRUE(torch::equal(toy.weight, torch::arange(15, torch::kFloat32).view({3, 5})));
  EXPECT_TRUE(torch::equal(toy.bias, torch::tensor({-1.0F, -2.0F})));
}

TEST(FlatParameters, CountATiedParameterOnce) {
  Toy toy;
  EXPECT_EQ(FlatParameters(toy).count(), 17);
}

TEST(FlatParameters, MakeParametersViewsOfOneBuffer) {
  Toy toy;
  const FlatParameters flat(toy);
  flat.values().fill_(7.0);
  EXPECT_TRUE((toy.weight == 7.0).all().item<bool>());
  EXPECT_TRUE((toy.bias == 7.0).all().item<bool>());
}

TEST(FlatParameters, CollectGradientsOverSeveralBackwardPasses) {
  Toy toy;
  const FlatParameters flat(toy);
  toy.loss().backward();
  toy.loss().backward();
  EXPECT_TRUE(torch::equal(toy.weight.grad(), 4 * toy.weight));
  // The gaps between parameters stay zero, so the norm is the norm of the parameters.
  const double expected = (4 * toy.weight).pow(2).sum().item<double>() + 2 * 36.0;
  EXPECT_NEAR(flat.gradients().pow(2).sum().item<double>(), expected, 1e-3);
  flat.gradients().zero_();
  EXPECT_TRUE((toy.bias.grad() == 0.0).all().item<bool>());
}

TEST(FlatParameters, AlignEveryParameter) {
  Toy toy;
  const FlatParameters flat(toy);
  for (const auto& parameter : {toy.weight, toy.bias}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(parameter.data_ptr()) % 64, 0U);
  }
}

TEST(FlatParameters, NameTheirLayout) {
  Toy toy;
  EXPECT_EQ(FlatParameters(toy).layout(), "w [3, 5]\nb [2]\n");
}

TEST(BorrowedValues, AreInPlaceForALimitedTime) {
  Toy toy;
  const FlatParameters flat(toy);
  const torch::Tensor before = toy.weight.detach().clone();
  {
    const BorrowedValues borrowed(flat, torch::full_like(flat.values(), 5.0));
    EXPECT_TRUE((toy.weight == 5.0).all().item<bool>());
  }
  EXPECT_TRUE(torch::equal(toy.weight, before));
}

// d = min(0.9, (1 + u) / (10 + u)): 2/11 after the first update, 0.9 from the 80th on.
TEST(MovingAverage, ForgetsTheFirstWeightsQuickly) {
  auto average = torch::tensor({1.0}, torch::kFloat64);
  update_moving_average(average, torch::tensor({12.0}, torch::kFloat64), 0.9, 1);
  EXPECT_NEAR(average.item<double>(), 2.0 / 11 * 1.0 + 9.0 / 11 * 12.0, 1e-12);
}

TEST(MovingAverage, DecaysAsConfiguredLater) {
  auto average = torch::tensor({1.0}, torch::kFloat64);
  update_moving_average(average, torch::tensor({12.0}, torch::kFloat64), 0.9, 1000);
  EXPECT_NEAR(average.item<double>(), 0.9 * 1.0 + 0.1 * 12.0, 1e-12);
}

}  // namespace
}  // namespace attend::train
