#include "kernels/layer/steps.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace attend::kernels {
namespace {

TEST(Steps, LieOneAfterTheOther) {
  const Steps steps({5, 3, 3, 1});
  EXPECT_EQ(steps.count(), 4);
  EXPECT_EQ(steps.rows(0), 5);
  EXPECT_EQ(steps.rows(2), 3);
  EXPECT_EQ(steps.rows(3), 1);
  EXPECT_EQ(steps.begin(0), 0);
  EXPECT_EQ(steps.begin(2), 8);
  EXPECT_EQ(steps.total(), 12);
}

TEST(Steps, HaveRoomForAStateInFront) {
  EXPECT_EQ(Steps({5, 3}).begin(-1), -5);
}

TEST(Steps, KnowWhetherTheyAreEqual) {
  EXPECT_TRUE(Steps({4}).are_equal());
  EXPECT_TRUE(Steps({4, 4, 4}).are_equal());
  EXPECT_FALSE(Steps({4, 4, 3}).are_equal());
}

TEST(Steps, RefuseRowsThatJoinLater) {
  EXPECT_THROW(Steps({2, 3}), std::logic_error);
  EXPECT_THROW(Steps(std::vector<int64_t>{}), std::logic_error);
}

}  // namespace
}  // namespace attend::kernels
