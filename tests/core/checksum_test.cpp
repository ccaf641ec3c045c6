#include "core/checksum.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

// The check value of CRC-32 in Williams, "A Painless Guide to CRC Error Detection Algorithms"
// (1993).
TEST(Checksum, EqualsTheCheckValue) {
  EXPECT_EQ(add_to_checksum(0, "123456789", 9), 0xcbf43926U);
}

TEST(Checksum, CanBeExtended) {
  EXPECT_EQ(add_to_checksum(add_to_checksum(0, "1234", 4), "56789", 5), 0xcbf43926U);
  EXPECT_EQ(add_to_checksum(7, nullptr, 0), 7U);
}

}  // namespace
}  // namespace attend
