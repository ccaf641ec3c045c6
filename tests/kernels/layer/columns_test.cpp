#include "kernels/layer/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace attend::kernels {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

TEST(GatherColumns, TakesTheColumnsOfEachRowsOwner) {
  const std::vector<float> from = {1, 2, 3, 99, 4, 5, 6, 99};  // two rows of 3, a gap of 1
  const std::vector<int32_t> columns = {2, 0, 7, 1, -1, 7};    // two lists of 2, gaps of 1
  const std::vector<int64_t> owners = {1, 0};
  std::vector<float> to(6, 7.0F);
  gather_columns({from.data(), 2, 3, 4}, {{columns.data(), 2, 2, 3}, owners.data()},
                 {to.data(), 2, 2, 3});
  EXPECT_THAT(to, testing::ElementsAre(2, kNever, 7, 6, 4, 7));
}

TEST(GatherColumns, TakesManyRows) {
  constexpr int64_t kRows = 1000;
  std::vector<float> from(2 * kRows), to(kRows);
  std::vector<int64_t> owners(kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    from[static_cast<std::size_t>(2 * i)] = static_cast<float>(i);
    from[static_cast<std::size_t>(2 * i + 1)] = static_cast<float>(-i);
    owners[static_cast<std::size_t>(i)] = i % 3;
  }
  const std::vector<int32_t> columns = {0, 1, -1};
  gather_columns({from.data(), kRows, 2, 2}, {{columns.data(), 3, 1, 1}, owners.data()},
                 {to.data(), kRows, 1, 1});
  for (int64_t i = 0; i < kRows; ++i) {
    const float value = i % 3 == 2 ? kNever : static_cast<float>(i % 3 == 0 ? i : -i);
    EXPECT_EQ(to[static_cast<std::size_t>(i)], value);
  }
}

TEST(ProductOfColumns, ComputesEachRowsOwnColumns) {
  const std::vector<float> x = {1, 2, 99, 3, 4, 99}, weight = {1, 0, 99, 0, 1, 99, 5, 6, 99};
  const std::vector<float> bias = {0, 10, 20};
  const std::vector<int32_t> columns = {2, 0, 7, 1, -1, 7};
  const std::vector<int64_t> owners = {1, 0};
  std::vector<float> to(6, 7.0F);
  product_of_columns({x.data(), 2, 2, 3}, {weight.data(), 3, 2, 3}, bias.data(),
                     {{columns.data(), 2, 2, 3}, owners.data()}, {to.data(), 2, 2, 3});
  EXPECT_THAT(to, testing::ElementsAre(12, kNever, 7, 59, 3, 7));
}

/// All numbers are eighths, so sums of products are exact in any order.
TEST(ProductOfColumns, DoesNotDependOnOtherRows) {
  constexpr int64_t kRows = 70, kUnits = 61, kColumns = 9, kLists = 4, kWidth = 5;
  const auto numbers = [](int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<int>(i * 7 % 23) - 11) / 8.0F;
    return values;
  };
  const auto x = numbers(kRows * kUnits), weight = numbers(kColumns * kUnits),
             bias = numbers(kColumns);
  std::vector<int32_t> lists(kLists * kWidth);
  for (std::size_t i = 0; i < lists.size(); ++i)
    lists[i] = static_cast<int32_t>(i * 5 % (kColumns + 1)) - 1;
  std::vector<int64_t> owners(kRows);
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i] = static_cast<int64_t>(i / 3 % kLists);  // three adjacent rows per owner

  std::vector<float> to(kRows * kWidth);
  product_of_columns({x.data(), kRows, kUnits, kUnits}, {weight.data(), kColumns, kUnits, kUnits},
                     bias.data(), {{lists.data(), kLists, kWidth, kWidth}, owners.data()},
                     {to.data(), kRows, kWidth, kWidth});
  for (int64_t i = 0; i < kRows * kWidth; ++i) {
    const int64_t row = i / kWidth;
    const int32_t column = lists[static_cast<std::size_t>(
        owners[static_cast<std::size_t>(row)] * kWidth + i % kWidth)];
    float expected = column < 0 ? kNever : bias[static_cast<std::size_t>(column)];
    for (int64_t k = 0; k < kUnits && column >= 0; ++k)
      expected += x[static_cast<std::size_t>(row * kUnits + k)] *
                  weight[static_cast<std::size_t>(column * kUnits + k)];
    EXPECT_EQ(to[static_cast<std::size_t>(i)], expected) << "row " << row << ", column " << column;
  }
}

}  // namespace
}  // namespace attend::kernels
