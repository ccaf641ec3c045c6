#include "kernels/output/top_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace attend::kernels {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kNever = -std::numeric_limits<float>::infinity();

struct Found {
  std::vector<int32_t> places;
  std::vector<double> values;
};

Found top(const std::vector<float>& x, int64_t rows, int64_t width) {
  Found found{std::vector<int32_t>(static_cast<std::size_t>(rows * width), -1),
              std::vector<double>(static_cast<std::size_t>(rows * width), kNever)};
  top_entries({.rows = rows,
               .columns = static_cast<int64_t>(x.size()) / rows,
               .x = x.data(),
               .width = width,
               .places = found.places.data(),
               .values = found.values.data()});
  return found;
}

std::vector<float> random_entries(std::size_t count) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0.0F, 3.0F);
  std::vector<float> entries(count);
  std::generate(entries.begin(), entries.end(), [&] { return normal(random); });
  return entries;
}

TEST(TopEntries, AreThoseThatSortingFinds) {
  for (const int64_t columns : {1, 7, 128, 129, 1000}) {
    for (const int64_t width : {int64_t{1}, std::min<int64_t>(5, columns)}) {
      const auto x = random_entries(static_cast<std::size_t>(3 * columns));
      const Found found = top(x, 3, width);
      for (int64_t row = 0; row < 3; ++row) {
        std::vector<int32_t> order(static_cast<std::size_t>(columns));
        std::iota(order.begin(), order.end(), 0);
        const float* const entries = x.data() + row * columns;
        std::stable_sort(order.begin(), order.end(),
                         [&](int32_t a, int32_t b) { return entries[a] > entries[b]; });
        for (int64_t i = 0; i < width; ++i) {
          const auto cell = static_cast<std::size_t>(row * width + i);
          EXPECT_EQ(found.places[cell], order[static_cast<std::size_t>(i)]);
          EXPECT_EQ(found.values[cell], entries[order[static_cast<std::size_t>(i)]]);
        }
      }
    }
  }
}

TEST(TopEntries, AreFoundInEveryColumn) {
  for (std::size_t column = 0; column < 300; ++column) {
    std::vector<float> x(300, 0.0F);
    x[column] = 1.0F;
    EXPECT_THAT(top(x, 1, 1).places, ElementsAre(column));
  }
}

TEST(TopEntries, OfEqualOnesTheLowerColumnComesFirst) {
  std::vector<float> x(300, 1.0F);
  x[290] = 2.0F;
  EXPECT_THAT(top(x, 1, 3).places, ElementsAre(290, 0, 1));
}

TEST(TopEntries, LeaveTheRestUnchangedIfFewAreFound) {
  const Found found = top({kNever, 3.0F, kNever, kNever, kNan, kNan, kNan, kNan}, 2, 3);
  EXPECT_THAT(found.places, ElementsAre(1, -1, -1, -1, -1, -1));
  EXPECT_THAT(found.values, ElementsAre(3.0, kNever, kNever, kNever, kNever, kNever));
}

}  // namespace
}  // namespace attend::kernels
