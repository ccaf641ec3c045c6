#include "app/lines/line_meter.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend::app {
namespace {

class LineMeterTest : public testing::Test {
 protected:
  void expect_last(int64_t lines, double share) const {
    ASSERT_FALSE(reports_.empty());
    EXPECT_EQ(reports_.back().lines, lines);
    EXPECT_DOUBLE_EQ(reports_.back().share, share);
  }

  std::vector<data::ReadingProgress> reports_;
  LineMeter meter_{[this](const auto& report) { reports_.push_back(report); }, "translating"};
};

// 20 lines are half of the text, so each line is 1/40.
TEST_F(LineMeterTest, CountsLinesDoneNotLinesRead) {
  meter_.read({20, 0.5});
  EXPECT_TRUE(reports_.empty());
  meter_.add(4);
  expect_last(4, 0.1);
  meter_.add(16);
  expect_last(20, 0.5);
  meter_.pass({20, 0.5});
  meter_.read({30, 1.0});
  meter_.add(5);
  expect_last(25, 0.75);
  EXPECT_STREQ(reports_.back().what, "translating");
}

TEST_F(LineMeterTest, ContinuesAfterSkippedLines) {
  meter_.pass({60, 0.6});
  meter_.read({80, 0.8});
  meter_.add(10);
  expect_last(70, 0.7);
}

TEST_F(LineMeterTest, ReportsNothingForAnInputOfUnknownLength) {
  meter_.read({20, 0.0});
  meter_.add(20);
  EXPECT_TRUE(reports_.empty());
}

}  // namespace
}  // namespace attend::app
