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

TEST(Transposed, SwapsTheSides) {
  EXPECT_THAT(transposed({{0, 3}, {2, 1}}), ElementsAre(Link{1, 2}, Link{3, 0}));
}

}  // namespace
}  // namespace attend::align
