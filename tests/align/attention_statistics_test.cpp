#include "align/attention_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attend::align {
namespace {

AttentionMatrix matrix_of(std::vector<std::string> target, std::vector<std::string> source,
                          std::vector<float> weights) {
  const std::size_t rows = target.size(), columns = source.size();
  return {.target = std::move(target),
          .source = std::move(source),
          .weights = {rows, columns, std::move(weights)},
          .heads = {}};
}

/// x attends equally to a and b, y to the end symbol, and the end symbol to b (1/4) and itself.
AttentionStatistics example_statistics() {
  AttentionStatistics statistics;
  statistics.add(
      matrix_of({"x", "y", "</s>"}, {"a", "b", "</s>"}, {0.5F, 0.5F, 0, 0, 0, 1, 0, 0.25F, 0.75F}));
  return statistics;
}

// log 2, 0 and -(1/4 log 1/4 + 3/4 log 3/4).
TEST(AttentionStatistics, AveragesTheEntropyOfRows) {
  const double last = 0.25 * std::log(4.0) + 0.75 * std::log(4.0 / 3);
  EXPECT_NEAR(example_statistics().mean_entropy(), (std::log(2.0) + last) / 3, 1e-6);
  EXPECT_EQ(example_statistics().tokens(), 3U);
}

// Positions 1/6, 3/6, 5/6. Distances: of x 0 and 1/3 with weights 1/2; of y 1/3; of the end symbol
// 1/3 with weight 1/4.
TEST(AttentionStatistics, MeasuresTheDistanceFromTheDiagonal) {
  EXPECT_NEAR(example_statistics().mean_distance(), (1.0 / 6 + 1.0 / 3 + 1.0 / 12) / 3, 1e-6);
}

TEST(AttentionStatistics, CountsExactZeros) {
  EXPECT_NEAR(example_statistics().zero_share(), 4.0 / 9, 1e-6);
}

// x gives the end symbol weight 0, and y gives it 1. The row of the end symbol does not count.
TEST(AttentionStatistics, AveragesTheWeightOfTheEndSymbol) {
  EXPECT_NEAR(example_statistics().mean_end_weight(), 0.5, 1e-6);
}

TEST(AttentionStatistics, DividesRowsByTheirSumAndSkipsEmptyOnes) {
  AttentionStatistics statistics;
  statistics.add(matrix_of({"x", "</s>"}, {"a", "</s>"}, {2.0F, 2.0F, 0, 0}));
  EXPECT_NEAR(statistics.mean_entropy(), std::log(2.0), 1e-6);
  EXPECT_NEAR(statistics.mean_end_weight(), 0.5, 1e-6);
  EXPECT_NEAR(statistics.zero_share(), 0.5, 1e-6);
}

TEST(AttentionStatistics, AreZeroForNothing) {
  EXPECT_EQ(AttentionStatistics().mean_entropy(), 0.0);
  EXPECT_EQ(AttentionStatistics().zero_share(), 0.0);
}

}  // namespace
}  // namespace attend::align
