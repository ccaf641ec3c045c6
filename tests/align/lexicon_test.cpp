#include "align/lexicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace attend::align {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Source pieces a = 5 and b = 4, target pieces x = 3 and y = 1.
const std::vector<NumberedPair> kPairs = {{{5, 4}, {3, 1}}, {{5}, {3}}};

LexiconOptions after(int64_t iterations) {
  LexiconOptions options;
  options.sources = 7;
  options.targets = 4;
  options.iterations = iterations;
  return options;
}

void expect_entry(const LexiconEntry& entry, int32_t target, double probability) {
  EXPECT_EQ(entry.target, target);
  EXPECT_NEAR(entry.probability, probability, 1e-12);
}

// Each target piece of the first pair is distributed over none, a and b, that of the second pair
// over none and a. At first equally: c(x|a) = 1/3 + 1/2, c(y|a) = 1/3, c(x|b) = c(y|b) = 1/3.
TEST(Lexicon, DistributesEachTargetPieceEquallyAtFirst) {
  const Lexicon lexicon = learn_lexicon(kPairs, after(1));

  ASSERT_THAT(lexicon.by_source, SizeIs(7));
  ASSERT_THAT(lexicon.by_source[5], SizeIs(2));
  expect_entry(lexicon.by_source[5][0], 3, 5.0 / 7);
  expect_entry(lexicon.by_source[5][1], 1, 2.0 / 7);
  ASSERT_THAT(lexicon.by_source[4], SizeIs(2));
  expect_entry(lexicon.by_source[4][0], 1, 1.0 / 2);  // a tie: the lower id first
  expect_entry(lexicon.by_source[4][1], 3, 1.0 / 2);
}

// After the first iteration, p(.|none) = p(.|a). In the second, x of the first pair is distributed
// over none, a and b as 5/7 : 5/7 : 1/2 = 10/27, 10/27, 7/27, and y as 2/7 : 2/7 : 1/2 = 4/15,
// 4/15, 7/15. x of the second pair goes half to none and half to a. So a gets x 10/27 + 1/2 =
// 235/270 and y 72/270, and b gets x 35/135 and y 63/135.
TEST(Lexicon, EqualsTwoIterationsByHand) {
  const Lexicon lexicon = learn_lexicon(kPairs, after(2));

  expect_entry(lexicon.by_source[5][0], 3, 235.0 / 307);
  expect_entry(lexicon.by_source[5][1], 1, 72.0 / 307);
  expect_entry(lexicon.by_source[4][0], 1, 9.0 / 14);
  expect_entry(lexicon.by_source[4][1], 3, 5.0 / 14);
}

TEST(Lexicon, LeavesOutImprobableEntries) {
  LexiconOptions options = after(2);
  options.at_least = 0.3;
  const Lexicon lexicon = learn_lexicon(kPairs, options);

  EXPECT_THAT(lexicon.by_source[5], SizeIs(1));
  EXPECT_THAT(lexicon.by_source[4], SizeIs(2));
}

TEST(Lexicon, HasNoEntriesForPiecesNotInTheText) {
  const Lexicon lexicon = learn_lexicon(kPairs, after(2));

  for (const std::size_t source : {0, 1, 2, 3, 6})
    EXPECT_THAT(lexicon.by_source[source], IsEmpty());
}

TEST(Lexicon, CountsHowFrequentTargetPiecesAre) {
  const Lexicon lexicon = learn_lexicon(kPairs, after(1));

  ASSERT_THAT(lexicon.frequency, SizeIs(2));
  expect_entry(lexicon.frequency[0], 3, 2.0 / 3);
  expect_entry(lexicon.frequency[1], 1, 1.0 / 3);
}

TEST(Lexicon, LearnsTranslationsFromCooccurrence) {
  const std::vector<NumberedPair> pairs = {{{0, 1}, {0, 1}}, {{1, 2}, {1, 2}}, {{2, 0}, {2, 0}}};
  const Lexicon lexicon = learn_lexicon(pairs, after(20));

  for (const int32_t piece : {0, 1, 2}) {
    const auto& row = lexicon.by_source[static_cast<std::size_t>(piece)];
    EXPECT_EQ(row.front().target, piece);
    EXPECT_GT(row.front().probability, 0.6);
  }
}

TEST(Lexicon, PiecesOutsideTheSizesAreBugs) {
  EXPECT_THROW((void)learn_lexicon({{{7}, {3}}}, after(1)), std::logic_error);
  EXPECT_THROW((void)learn_lexicon({{{5}, {4}}}, after(1)), std::logic_error);
  EXPECT_THROW((void)learn_lexicon({{{5}, {-1}}}, after(1)), std::logic_error);
}

}  // namespace
}  // namespace attend::align
