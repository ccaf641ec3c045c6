#include "data/attention_goals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace attend::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;

/// The rows of the goals of a pair, concatenated.
std::vector<float> rows(const AttentionGoals& goals, int64_t pair, int64_t target_length,
                        int64_t columns) {
  std::vector<float> matrix(static_cast<std::size_t>(target_length * columns));
  goals.fill(pair, target_length, matrix.data(), columns);
  return matrix;
}

// Source words 0 = pieces 0 1, 1 = piece 2; target words 0 = piece 0, 1 = pieces 1 2.
const PieceWords& source() {
  static const PieceWords words = {0, 0, 1};
  return words;
}
const PieceWords& target() {
  static const PieceWords words = {0, 1, 1};
  return words;
}

TEST(AttentionGoals, EveryPieceOfAWordGetsThePiecesOfItsLinkedWord) {
  AttentionGoals goals(100);
  goals.add({{0, 1}, {1, 0}}, source(), target());
  EXPECT_THAT(rows(goals, 0, 3, 4), ElementsAre(0, 0, 1, 0,        //
                                                0.5F, 0.5F, 0, 0,  //
                                                0.5F, 0.5F, 0, 0));
}

TEST(AttentionGoals, SharesAreEqualAmongThePiecesOfAllLinkedWords) {
  AttentionGoals goals(100);
  goals.add({{0, 1}, {1, 1}}, source(), target());
  const float third = 1.0F / 3.0F;
  EXPECT_THAT(rows(goals, 0, 3, 4), ElementsAre(0, 0, 0, 0,              //
                                                third, third, third, 0,  //
                                                third, third, third, 0));
}

TEST(AttentionGoals, KeepEachPairApart) {
  AttentionGoals goals(100);
  goals.add({{0, 0}}, {0}, {0, 0});
  goals.add({}, source(), target());
  goals.add({{1, 0}}, source(), {0});
  EXPECT_EQ(goals.size(), 3);
  EXPECT_THAT(rows(goals, 0, 2, 2), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(rows(goals, 1, 3, 4), Each(FloatEq(0)));
  EXPECT_THAT(rows(goals, 2, 1, 4), ElementsAre(0, 0, 1, 0));
}

// A character that normalisation drops can be a word of its own.
TEST(AttentionGoals, AWordWithoutPiecesGivesNothing) {
  AttentionGoals goals(100);
  goals.add({{0, 0}, {1, 1}, {2, 1}}, {1, 2}, {1});
  EXPECT_THAT(rows(goals, 0, 1, 3), ElementsAre(0.5F, 0.5F, 0));
}

TEST(AttentionGoals, HoldAPositionBeyondTwoBytes) {
  AttentionGoals goals(70'000);
  PieceWords words(70'000, 0);
  words.back() = 1;
  goals.add({{1, 0}}, words, {0});
  EXPECT_EQ(rows(goals, 0, 1, 70'001)[69'999], 1.0F);
}

}  // namespace
}  // namespace attend::data
