#include "core/closest_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend {
namespace {

using ::testing::Optional;

const std::vector<std::string> kScores = {"additive", "concat", "dot", "general", "scaled_dot"};

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // k/s, e/i, +g
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(EditDistance, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("genreal", "general"), 1U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
}

TEST(ClosestName, FindsAMisspelling) {
  EXPECT_THAT(closest_name("genral", kScores), Optional(std::string("general")));
}

TEST(ClosestName, FindsNothingThreeEditsAway) {
  EXPECT_EQ(closest_name("genxyzl", kScores), std::nullopt);
}

TEST(ClosestName, FindsNothingForANameThatSharesNoLetter) {
  const std::vector<std::string> names = {"ab"};
  EXPECT_EQ(closest_name("xy", names), std::nullopt);
}

// Regression: jpg; did you mean "svg"?
TEST(ClosestName, FindsNothingIfLessThanHalfAgrees) {
  const std::vector<std::string> names = {"svg", "png"};
  EXPECT_THAT(closest_name("jpg", names), std::nullopt);
  EXPECT_THAT(closest_name("pgn", names), Optional(std::string("png")));
}

TEST(ClosestName, IgnoresCase) {
  const std::vector<std::string> names = {"gru", "lstm"};
  EXPECT_THAT(closest_name("LSTM", names), Optional(std::string("lstm")));
}

TEST(ClosestName, PrefersTheFirstOfEquals) {
  const std::vector<std::string> names = {"bat", "cat"};
  EXPECT_THAT(closest_name("rat", names), Optional(std::string("bat")));
}

TEST(DidYouMean, IsEmptyIfNothingIsNear) {
  EXPECT_EQ(did_you_mean("dott", kScores), "; did you mean \"dot\"?");
  EXPECT_EQ(did_you_mean("quantum", kScores), "");
}

TEST(Join, PutsTheSeparatorBetween) {
  const std::vector<std::string> parts = {"a", "b", "c"};
  EXPECT_EQ(join(parts), "a, b, c");
  EXPECT_EQ(join(parts, " or "), "a or b or c");
}

}  // namespace
}  // namespace attend
