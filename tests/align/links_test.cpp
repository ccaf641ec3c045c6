#include "align/links.h"

#include <gmock/gmock.h>

namespace attend::align {
namespace {

using ::testing::ElementsAre;

TEST(Pharaoh, WritesLinksBySourceThenTarget) {
  EXPECT_EQ(format_pharaoh({{10, 2}, {0, 3}, {0, 1}, {2, 0}}), "0-1 0-3 2-0 10-2");
}

TEST(Pharaoh, WritesNoLinksAsAnEmptyLine) {
  EXPECT_EQ(format_pharaoh({}), "");
}

TEST(Gold, WritesPossibleLinksWithP) {
  EXPECT_EQ(format_gold({.sure = {{0, 1}, {2, 0}}, .possible = {{0, 1}, {1, 1}, {2, 0}}}),
            "0-1 1p1 2-0");
}

TEST(Gold, WritesSureLinksThatAreNotListedAsPossible) {
  EXPECT_EQ(format_gold({.sure = {{3, 1}}, .possible = {{0, 2}}}), "0p2 3-1");
}

TEST(Transposed, SwapsTheSides) {
  EXPECT_THAT(transposed({{0, 3}, {2, 1}}), ElementsAre(Link{1, 2}, Link{3, 0}));
}

}  // namespace
}  // namespace attend::align
