#include "kernels/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace attend::kernels {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

TEST(GatherColumns, TakesThoseOfEachRowsOwner) {
  const std::vector<float> from = {1, 2, 3, 99, 4, 5, 6, 99};  // two rows of 3, a gap of 1
  const std::vector<int32_t> columns = {2, 0, 7, 1, -1, 7};    // two lists of 2, gaps of 1
  const std::vector<int64_t> owners = {1, 0};
  std::vector<float> to(6, 7.0F);
  gather_columns({from.data(), 2, 3, 4}, {columns.data(), 2, 2, 3}, owners.data(),
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
  gather_columns({from.data(), kRows, 2, 2}, {columns.data(), 3, 1, 1}, owners.data(),
                 {to.data(), kRows, 1, 1});
  for (int64_t i = 0; i < kRows; ++i) {
    const float value = i % 3 == 2 ? kNever : static_cast<float>(i % 3 == 0 ? i : -i);
    EXPECT_EQ(to[static_cast<std::size_t>(i)], value);
  }
}

}  // namespace
}  // namespace attend::kernels
