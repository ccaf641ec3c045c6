#include "align/error_rate.h"

#include <gmock/gmock.h>

#include "core/error.h"

namespace attend::align {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Link kA{0, 0};
const Link kB{1, 1};
const Link kC{2, 1};
const Link kD{3, 3};

// A = {a, b, d}, S = {a, c}, P = {a, b, c}: |A and S| = 1, |A and P| = 2.
// AER = 1 - (1 + 2) / (3 + 2), precision 2/3, recall 1/2.
TEST(ErrorRate, FollowsOchAndNey) {
  const GoldLinks gold{.sure = {kA, kC}, .possible = {kA, kB, kC}};
  const LinkCounts counts = count_links(Links{kA, kB, kD}, gold, Judge::kAll);
  EXPECT_DOUBLE_EQ(counts.error_rate(), 1.0 - 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(counts.precision(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(counts.recall(), 1.0 / 2.0);
}

TEST(ErrorRate, OfTheGoldItselfIsZero) {
  const GoldLinks gold{.sure = {kA, kB}, .possible = {kA, kB, kC}};
  EXPECT_EQ(count_links(gold.sure, gold, Judge::kAll).error_rate(), 0.0);
  EXPECT_EQ(count_links(gold.possible, gold, Judge::kAll).error_rate(), 0.0);
}

TEST(ErrorRate, OfNothingAgainstNothingIsZero) {
  const LinkCounts counts = count_links(Links{}, GoldLinks{}, Judge::kAll);
  EXPECT_EQ(counts.error_rate(), 0.0);
  EXPECT_EQ(counts.precision(), 1.0);
  EXPECT_EQ(counts.recall(), 1.0);
}

TEST(ErrorRate, SumsCountsOverSentences) {
  const GoldLinks gold{.sure = {kA}, .possible = {kA}};
  LinkCounts counts = count_links({kA}, gold, Judge::kAll);
  counts += count_links({kB, kC}, gold, Judge::kAll);
  // |A| = 3, |S| = 2, both intersections 1: 1 - 2/5. The mean of the two sentences' rates would be
  // 1/2.
  EXPECT_DOUBLE_EQ(counts.error_rate(), 1.0 - 2.0 / 5.0);
}

// Gold covers the source words 0, 1 and the target words 0, 5. Kept: 0-0, 0-5 (a wrong link between
// covered words). Dropped: 2-0 (source 2 not covered), 1-3 (target 3 not covered).
TEST(ErrorRate, CoveredDropsLinksOfWordsWithoutGold) {
  const GoldLinks gold{.sure = {{0, 0}}, .possible = {{0, 0}, {1, 5}}};
  const LinkCounts counts =
      count_links(Links{{0, 0}, {0, 5}, {2, 0}, {1, 3}}, gold, Judge::kCovered);
  EXPECT_EQ(counts.links, 2);
  EXPECT_EQ(counts.links_and_sure, 1);
  EXPECT_DOUBLE_EQ(counts.error_rate(), 1.0 - 2.0 / 3.0);
}

TEST(Judge, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_EQ(parse_judge("all"), Judge::kAll);
  EXPECT_EQ(parse_judge("covered"), Judge::kCovered);
  EXPECT_THAT(
      [] { (void)parse_judge("coverd"); },
      ThrowsMessage<UsageError>(HasSubstr("did you mean \"covered\"?; choices: all, covered")));
}

}  // namespace
}  // namespace attend::align
