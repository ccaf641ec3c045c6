#include "nn/own_columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace attend::nn {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Two lists of columns of a matrix with three: columns 0 and 2, and column 1.
torch::Tensor two_lists() {
  return torch::tensor({{0, 2}, {1, -1}}, torch::kInt);
}

torch::Tensor ids(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kInt64);
}

TEST(OwnColumns, FollowTheRows) {
  const torch::Tensor y = torch::tensor({{4.0F, 5.0F, 6.0F}, {7.0F, 8.0F, 9.0F}});
  for (const auto type : {torch::kFloat, torch::kDouble}) {  // by a kernel, and by LibTorch
    OwnColumns columns(two_lists(), 3);
    columns.select(ids({1, 1, 0}));
    columns.select(ids({0, 2}));
    const torch::Tensor expected = torch::tensor({{5.0F, kNever}, {7.0F, 9.0F}}).to(type);

    EXPECT_TRUE(torch::equal(columns.of(y.to(type)), expected));
  }
}

TEST(OwnColumns, AreFoundInAnyMatrix) {
  const OwnColumns columns(two_lists(), 3);
  // The rows are slices of a wider matrix.
  const torch::Tensor wide = torch::arange(10, torch::kFloat).view({2, 5}).narrow(1, 0, 3);
  const torch::Tensor expected = torch::tensor({{0.0F, 2.0F}, {6.0F, kNever}});

  EXPECT_TRUE(torch::equal(columns.of(wide), expected));
  EXPECT_TRUE(torch::equal(columns.of(wide.t().contiguous().t()), expected));
}

TEST(OwnColumns, AreTheMatrixWhereEachListHasAll) {
  const OwnColumns columns(torch::tensor({{0, 1}, {0, 1}}, torch::kInt), 2);
  const torch::Tensor y = torch::tensor({{4.0F, 5.0F}, {7.0F, 8.0F}});
  EXPECT_TRUE(columns.of(y).is_same(y));
  EXPECT_TRUE(OwnColumns().of(y).is_same(y));
}

TEST(OwnColumns, OfAProductAreThoseOfTheWholeProduct) {
  torch::manual_seed(3);
  for (const auto type : {torch::kFloat, torch::kDouble}) {  // by a kernel, and by LibTorch
    const auto options = torch::dtype(type);
    const torch::Tensor x = torch::randn({4, 37}, options), weight = torch::randn({3, 37}, options),
                        bias = torch::randn({3}, options);
    OwnColumns columns(two_lists(), 3);
    columns.select(ids({0, 1, 1, 0}));
    const torch::Tensor whole = columns.of(torch::linear(x, weight, bias));
    EXPECT_TRUE(torch::allclose(columns.of_product(x, weight, bias), whole, 1e-5, 1e-5));
    EXPECT_TRUE(OwnColumns().of_product(x, weight, bias).equal(torch::linear(x, weight, bias)));
  }
}

}  // namespace
}  // namespace attend::nn
