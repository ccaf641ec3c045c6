#include "core/byte_count.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(ByteCount, HasOneDecimalAndDecimalUnits) {
  EXPECT_EQ(byte_count(950), "950 B");
  EXPECT_EQ(byte_count(8449), "8.4 kB");
  EXPECT_EQ(byte_count(14.2e9), "14.2 GB");
}

// Regression: 1000.0 kB.
TEST(ByteCount, TakesTheNextUnitIfItRoundsToAThousand) {
  EXPECT_EQ(byte_count(999.4), "999 B");
  EXPECT_EQ(byte_count(999.6), "1.0 kB");
  EXPECT_EQ(byte_count(999'960), "1.0 MB");
  EXPECT_EQ(byte_count(999'940), "999.9 kB");
  EXPECT_EQ(byte_count(5e15), "5000.0 TB");
}

}  // namespace
}  // namespace attend
