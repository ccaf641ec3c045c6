#include "kernels/layer/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace attend::kernels {
namespace {

TEST(GatherRows, TakesRowsAndFillsWithZeros) {
  const std::vector<float> from = {1, 2, 99, 3, 4, 99, 5, 6, 99};  // three rows of 2, gaps of 1
  const std::vector<int64_t> index = {2, -1, 0, 2};
  std::vector<float> to(16, 7.0F);  // gaps of 2
  gather_rows(Matrix<const float>{from.data(), 3, 2, 3}, index.data(),
              Matrix<float>{to.data(), 4, 2, 4});
  EXPECT_THAT(to, testing::ElementsAre(5, 6, 7, 7, 0, 0, 7, 7, 1, 2, 7, 7, 5, 6, 7, 7));
}

TEST(GatherRows, TakesManyInAnyOrder) {
  constexpr int64_t kRows = 1000;
  std::vector<double> from(kRows), to(kRows);
  std::vector<int64_t> index(kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    from[static_cast<std::size_t>(i)] = static_cast<double>(i);
    index[static_cast<std::size_t>(i)] = (i * 7) % kRows;
  }
  gather_rows(Matrix<const double>{from.data(), kRows, 1, 1}, index.data(),
              Matrix<double>{to.data(), kRows, 1, 1});
  for (std::size_t i = 0; i < to.size(); ++i) EXPECT_EQ(to[i], static_cast<double>(index[i]));
}

}  // namespace
}  // namespace attend::kernels
