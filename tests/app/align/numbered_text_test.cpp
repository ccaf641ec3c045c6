#include "app/align/numbered_text.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Stem, CutsCharactersAndNotBytes) {
  EXPECT_EQ(stem("ángeles", 2), "án");
  EXPECT_EQ(stem("ángeles", 0), "ángeles");
  EXPECT_EQ(stem("sí", 5), "sí");
  EXPECT_EQ(stem("", 3), "");
}

// Whole words: walk, walks, Walk = walk. Cut to 4 letters, all are the same.
TEST(NumberedText, NumbersLowerCaseWordsAndStems) {
  const TempDir dir;
  const data::PairFiles files{dir.write("s", "walk walks  Walk\n").string(),
                              dir.write("t", "ÁNGEL ángeles\n").string()};
  const NumberedText text = read_numbered_text(files, {0, 4});
  ASSERT_THAT(text.readings, SizeIs(2));
  EXPECT_THAT(text.readings[0].pairs[0].source, ElementsAre(0, 1, 0));
  EXPECT_THAT(text.readings[0].pairs[0].target, ElementsAre(0, 1));
  EXPECT_EQ(text.readings[0].sources, 2);
  EXPECT_EQ(text.readings[0].targets, 2);
  EXPECT_THAT(text.readings[1].pairs[0].source, ElementsAre(0, 0, 0));
  EXPECT_THAT(text.readings[1].pairs[0].target, ElementsAre(0, 0));
  EXPECT_EQ(text.readings[1].sources, 1);
}

// The numbers of the text stay as they are without known links.
TEST(NumberedText, NumbersKnownLinksOfOtherText) {
  const TempDir dir;
  const data::PairFiles files{dir.write("s", "walks\n").string(),
                              dir.write("t", "anda\n").string()};
  const NumberedText text =
      read_numbered_text(files, {0, 4}, {{"walk", "anda", 3}, {"walks", "andan", 2}});
  EXPECT_THAT(text.readings[0].pairs[0].source, ElementsAre(0));
  EXPECT_EQ(text.readings[0].sources, 2);
  EXPECT_EQ(text.readings[0].targets, 2);
  const auto is = [](int32_t source, int32_t target, int32_t count) {
    return ::testing::AllOf(::testing::Field(&align::LinkCount::source, source),
                            ::testing::Field(&align::LinkCount::target, target),
                            ::testing::Field(&align::LinkCount::count, count));
  };
  EXPECT_THAT(text.readings[0].known, ElementsAre(is(1, 0, 3), is(0, 1, 2)));
  EXPECT_THAT(text.readings[1].known, ElementsAre(is(0, 0, 3), is(0, 0, 2)));
}

TEST(NumberedText, LeavesOutPairsWithAnEmptySide) {
  const TempDir dir;
  const data::PairFiles files{dir.write("s", "a\n\nb\n").string(),
                              dir.write("t", "\nx\ny\n").string()};
  const NumberedText text = read_numbered_text(files, {0});
  EXPECT_THAT(text.lines, SizeIs(3));
  const auto& pairs = text.readings[0].pairs;
  EXPECT_THAT(pairs[0].source, IsEmpty());
  EXPECT_THAT(pairs[1].target, IsEmpty());
  EXPECT_THAT(pairs[2].source, ElementsAre(0));
}

}  // namespace
}  // namespace attend::app
