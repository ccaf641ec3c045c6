#include "cli/progress.h"

#include <gtest/gtest.h>

namespace attend::cli {
namespace {

TEST(ShortCount, KeepsOneDecimalOfThousands) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(949.6), "950");
  EXPECT_EQ(short_count(8449), "8.4k");
  EXPECT_EQ(short_count(1'250'000), "1.2M");
}

TEST(ShortDuration, KeepsTheTwoLargestUnits) {
  EXPECT_EQ(short_duration(0.4), "0s");
  EXPECT_EQ(short_duration(59.4), "59s");
  EXPECT_EQ(short_duration(60), "1m");
  EXPECT_EQ(short_duration(725), "12m");
  EXPECT_EQ(short_duration(3 * 3600 + 5 * 60), "3h05m");
}

TEST(ShortDuration, RoundsUpToTheHour) {
  EXPECT_EQ(short_duration(3599), "1h00m");
}

}  // namespace
}  // namespace attend::cli
