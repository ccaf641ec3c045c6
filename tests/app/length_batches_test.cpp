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

// 4 lines of 128 are 512 numbers: two of 250, three of 150 with 129 and 128 filled up.
TEST(LengthBatches, OfLongLinesAreSmaller) {
  EXPECT_THAT(length_batches(std::vector<std::size_t>{250, 240, 150, 129, 128}, 4),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4)));
  EXPECT_THAT(length_batches(std::vector<std::size_t>{128, 128, 128, 128, 1}, 4),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4)));
  EXPECT_THAT(length_batches(std::vector<std::size_t>{5000, 4000}, 4),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(LengthBatches, AreNoneWithoutLines) {
  EXPECT_THAT(length_batches({}, 4), IsEmpty());
}

}  // namespace
}  // namespace attend::app
