#include "config/range.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace attend::config {
namespace {

TEST(Range, KnowsItsEnds) {
  EXPECT_TRUE(in_range(1, 3).contains(1));
  EXPECT_TRUE(in_range(1, 3).contains(3));
  EXPECT_FALSE(in_range(1, 3).contains(4));
  EXPECT_FALSE(in_range(1, 3).contains(0));
  EXPECT_TRUE(from_to_below(0.0, 1.0).contains(0.0));
  EXPECT_FALSE(from_to_below(0.0, 1.0).contains(1.0));
  EXPECT_TRUE(at_least(2).contains(2));
  EXPECT_FALSE(at_least(2).contains(1));
  EXPECT_FALSE(above(0.0).contains(0.0));
  EXPECT_TRUE(above(0.0).contains(1e-300));
  EXPECT_TRUE(any().contains(-1e300));
}

TEST(Range, ConvertsBetweenNumberTypes) {
  const Range<int64_t> whole = at_least(1);
  EXPECT_FALSE(whole.contains(0));
  const Range<double> number = in_range(0, 1);
  EXPECT_TRUE(number.contains(0.5));
  EXPECT_FALSE(number.contains(1.5));
}

TEST(Range, ReadsLikeWords) {
  EXPECT_EQ(to_string(in_range(1, 16)), "1 to 16");
  EXPECT_EQ(to_string(from_to_below(0.0, 1.0)), "0 to below 1");
  EXPECT_EQ(to_string(at_least(1)), "at least 1");
  EXPECT_EQ(to_string(above(0.0)), "above 0");
  EXPECT_EQ(to_string(any()), "");
}

}  // namespace
}  // namespace attend::config
