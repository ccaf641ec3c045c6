#include "app/length_batches.h"

#include <gmock/gmock.h>

namespace attend::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LengthBatches, PutsLongLinesFirstAndKeepsTheOrderOfEquals) {
  const std::vector<std::size_t> lengths{3, 9, 3, 7, 1};

  EXPECT_THAT(length_batches(lengths, 2),
              ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2), ElementsAre(4)));
}

TEST(LengthBatches, AreNoneWithoutLines) {
  EXPECT_THAT(length_batches({}, 4), IsEmpty());
}

}  // namespace
}  // namespace attend::app
