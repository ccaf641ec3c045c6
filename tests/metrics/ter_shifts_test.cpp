#include "metrics/ter_shifts.h"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

namespace attend::metrics {
namespace {

using Words = std::vector<uint32_t>;

Words row(uint32_t first, std::size_t length) {
  Words words(length);
  std::iota(words.begin(), words.end(), first);
  return words;
}

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(TranslationEdits, EqualTheDistanceIfNoShiftHelps) {
  EXPECT_EQ(translation_edits(Words{1, 2, 3}, Words{1, 2, 3}), 0);
  EXPECT_EQ(translation_edits(Words{1, 2, 3}, Words{1, 4, 3, 5}), 2);
  EXPECT_EQ(translation_edits(Words{}, Words{1, 2}), 2);
  EXPECT_EQ(translation_edits(Words{1, 2}, Words{}), 2);
}

// 4 5 1 2 3 -> 1 2 3 4 5 takes one shift, or 4 edits without shifts.
TEST(TranslationEdits, CountAShiftOnce) {
  EXPECT_EQ(translation_edits(Words{4, 5, 1, 2, 3}, Words{1, 2, 3, 4, 5}), 1);
}

// Two pairs of phrases, each in the wrong order.
TEST(TranslationEdits, CountEveryShift) {
  EXPECT_EQ(translation_edits(Words{3, 4, 5, 1, 2, 8, 9, 10, 6, 7}, row(1, 10)), 2);
}

// 7 8 and 1 2 must swap places, but no single shift saves an edit, so the greedy search finds none
// and replaces four words.
TEST(TranslationEdits, MakeNoShiftThatSavesNothing) {
  EXPECT_EQ(translation_edits(Words{7, 8, 3, 4, 5, 6, 1, 2}, row(1, 8)), 4);
}

// Ten words can be shifted at once; with eleven on either side, one needs a second shift.
TEST(TranslationEdits, MoveAtMostTenWords) {
  EXPECT_EQ(translation_edits(row(20, 10) + row(1, 15), row(1, 15) + row(20, 10)), 1);
  EXPECT_EQ(translation_edits(row(20, 11) + row(1, 15), row(1, 15) + row(20, 11)), 2);
}

// Word 99 at the start belongs after the others. Shifting it over 50 words costs 1; over 51 words
// it must be dropped and added.
TEST(TranslationEdits, MoveOverAtMostFiftyWords) {
  EXPECT_EQ(translation_edits(Words{99} + row(1, 50), row(1, 50) + Words{99}), 1);
  EXPECT_EQ(translation_edits(Words{99} + row(1, 51), row(1, 51) + Words{99}), 2);
}

}  // namespace
}  // namespace attend::metrics
