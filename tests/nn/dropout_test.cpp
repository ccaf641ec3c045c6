#include "nn/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

class Dropout : public testing::Test {
 protected:
  void SetUp() override { torch::manual_seed(8); }
};

TEST_F(Dropout, IsTheTensorItselfWhereInactive) {
  const auto x = torch::ones({3, 4});
  EXPECT_TRUE(nn::dropout(x, 0.5, /*active=*/false).is_same(x));
  EXPECT_TRUE(nn::dropout(x, 0.0, /*active=*/true).is_same(x));
}

TEST_F(Dropout, ZeroesTheShareAndScalesTheRest) {
  const auto x = torch::full({100, 100}, 3.0);
  const auto dropped = nn::dropout(x, 0.2, /*active=*/true);
  const auto kept = dropped.masked_select(dropped.ne(0.0));
  EXPECT_NEAR(static_cast<double>(kept.numel()), 8000.0, 200.0);  // standard deviation 40
  EXPECT_THAT(kept, test::TensorNear(torch::full_like(kept, 3.75), 1e-6));
}

TEST_F(Dropout, GradientGoesWhereTheElementWent) {
  const auto x = torch::randn({7, 33}, torch::kFloat64).set_requires_grad(true);
  const auto dropped = nn::dropout(x.transpose(0, 1), 0.4, /*active=*/true);
  const auto arriving = torch::randn_like(dropped);
  const auto gradient = torch::autograd::grad({dropped}, {x}, {arriving}).front();
  const auto mask = dropped.detach() / x.detach().transpose(0, 1);
  EXPECT_THAT(gradient, test::TensorNear((mask * arriving).transpose(0, 1), 1e-12));
  EXPECT_GT(mask.eq(0.0).sum().item<int64_t>(), 0);
}

TEST_F(Dropout, DiffersEachTimeAndRepeatsAfterTheSameSeed) {
  const auto x = torch::ones({1000});
  const auto first = nn::dropout(x, 0.5, /*active=*/true);
  EXPECT_FALSE(first.equal(nn::dropout(x, 0.5, /*active=*/true)));
  torch::manual_seed(8);
  EXPECT_TRUE(first.equal(nn::dropout(x, 0.5, /*active=*/true)));
}

TEST_F(Dropout, MaskIsUndefinedWhereInactive) {
  const auto like = torch::ones({1}, torch::kFloat64);
  EXPECT_FALSE(dropout_mask({3, 4}, 0.5, /*active=*/false, like).defined());
  EXPECT_FALSE(dropout_mask({3, 4}, 0.0, /*active=*/true, like).defined());
}

TEST_F(Dropout, MaskHoldsZerosAndTheScale) {
  const auto like = torch::ones({1}, torch::kFloat64);
  const auto mask = dropout_mask({30, 40}, 0.5, /*active=*/true, like);
  ASSERT_EQ(mask.sizes(), (torch::IntArrayRef{30, 40}));
  EXPECT_EQ(mask.scalar_type(), torch::kFloat64);
  const auto kept = mask.eq(2.0).sum().item<int64_t>();
  EXPECT_EQ(kept + mask.eq(0.0).sum().item<int64_t>(), 1200);
  EXPECT_NEAR(static_cast<double>(kept), 600.0, 90.0);  // standard deviation 17
}

}  // namespace
}  // namespace attend::nn
