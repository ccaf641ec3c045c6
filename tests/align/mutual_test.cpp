#include "align/mutual.h"

#include <gmock/gmock.h>

#include <vector>

namespace attend::align {
namespace {

/// Rows are target words and columns source words, with the end symbol last in both.
AttentionMatrix matrix(std::size_t rows, std::size_t columns, std::vector<float> values) {
  AttentionMatrix result;
  result.target.assign(rows, "t");
  result.source.assign(columns, "s");
  result.weights = WeightTable(rows, columns, std::move(values));
  return result;
}

std::string mutual(const AttentionMatrix& forward, const AttentionMatrix& reverse,
                   std::optional<float> threshold = std::nullopt) {
  return format_pharaoh(mutual_links(forward, reverse, threshold));
}

// Two source words, two target words. Means [target, source]: 0.8 0.1 / 0.5 0.45.
// Target word 1 prefers source word 0, which prefers target word 0, so target word 1 gets no link.
const AttentionMatrix kForward = matrix(3, 3,
                                        {0.7F, 0.2F, 0.1F,  //
                                         0.6F, 0.3F, 0.1F,  //
                                         0.0F, 0.0F, 1.0F});
const AttentionMatrix kReverse = matrix(3, 3,
                                        {0.9F, 0.4F, 0.0F,  //
                                         0.0F, 0.6F, 0.4F,  //
                                         0.0F, 0.0F, 1.0F});

TEST(MutualLinks, ArePairsWithTheLargestWeightForBothWords) {
  EXPECT_EQ(mutual(kForward, kReverse), "0-0");
  auto surer = kReverse;
  surer.weights(1, 1) = 0.8F;  // mean 0.55, larger than 0.5
  EXPECT_EQ(mutual(kForward, surer), "0-0 1-1");
}

TEST(MutualLinks, WithAThresholdAreAllPairsThatReachIt) {
  EXPECT_EQ(mutual(kForward, kReverse, 0.45F), "0-0 0-1 1-1");
  EXPECT_EQ(mutual(kForward, kReverse, 0.46F), "0-0 0-1");
}

TEST(MutualLinks, LeaveOutEndSymbolsAndWordsWithoutWeight) {
  const auto nothing = matrix(2, 2, {0.0F, 1.0F, 1.0F, 0.0F});
  EXPECT_EQ(mutual(nothing, nothing), "");
  EXPECT_EQ(mutual(nothing, nothing, 0.0F), "");
}

TEST(MutualLinks, TakeTheFirstOfEqualWeights) {
  const auto even = matrix(3, 3, std::vector<float>(9, 1.0F / 3));
  EXPECT_EQ(mutual(even, even), "0-0");
}

TEST(MutualLinks, LeaveOutWordsThatOneModelDidNotRead) {
  const auto cut = matrix(2, 2, {0.9F, 0.1F, 0.0F, 1.0F});
  EXPECT_EQ(mutual(cut, kReverse), "0-0");
  EXPECT_EQ(mutual(kForward, cut), "0-0");
}

TEST(MutualLinks, NeedWeights) {
  AttentionMatrix none = kForward;
  none.weights = {};
  EXPECT_EQ(mutual(none, kReverse), "");
  EXPECT_EQ(mutual(kForward, none), "");
}

}  // namespace
}  // namespace attend::align
