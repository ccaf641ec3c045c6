#include "metrics/faithfulness/erasure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;

TEST(ErasedCounts, AreRoundedUp) {
  EXPECT_THAT(erased_counts(12), ElementsAre(1, 1, 2, 3, 6));
  EXPECT_THAT(erased_counts(1), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(erased_counts(200), ElementsAre(2, 10, 20, 40, 100));
}

TEST(ShareUntilChange, CountsThePositionsUpToTheFirstChange) {
  EXPECT_EQ(share_until_change({false, true, false, true}), 0.5);
  EXPECT_EQ(share_until_change({true, false}), 0.5);
  EXPECT_EQ(share_until_change({false, false, false}), 1.0);
}

// 0.9 - (0.8 + 0.5 + 0.2) / 3.
TEST(AreaOverCurve, IsTheMeanLossByHand) {
  EXPECT_NEAR(area_over_curve(0.9, {0.8, 0.5, 0.2}), 0.4, 1e-15);
}

}  // namespace
}  // namespace attend::metrics
