#include "app/export/zip_archive.h"

#include <gtest/gtest.h>

namespace attend::app {
namespace {

using namespace std::literals;

// By hand from PKWARE's APPNOTE 6.3, Sec. 4.3.7, 4.3.12 and 4.3.16. The CRC-32 of "123456789" is
// cbf43926 (the check value of the polynomial).
TEST(ZipArchive, HasTheBytesOfTheFormat) {
  const std::string common =
      "\x14\0\0\x08\0\0\0\0\x21\0\x26\x39\xF4\xCB\x09\0\0\0\x09\0\0\0\x03\0\0\0"s;
  EXPECT_EQ(zip_archive({{"a/b", "123456789"}}),
            "PK\x03\x04"s + common + "a/b123456789" + "PK\x01\x02\x14\0"s + common +
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s + "a/b" +
                "PK\x05\x06\0\0\0\0\x01\0\x01\0\x31\0\0\0\x2A\0\0\0\0\0"s);
}

TEST(ZipArchive, PointsToEveryFile) {
  const std::string archive = zip_archive({{"first", "1"}, {"second", "22"}});
  const std::size_t second = archive.find("PK\x03\x04", 1);
  const std::size_t entry = archive.find("PK\x01\x02", archive.find("PK\x01\x02") + 1);
  ASSERT_NE(second, std::string::npos);
  ASSERT_NE(entry, std::string::npos);
  EXPECT_EQ(static_cast<unsigned char>(archive[entry + 42]), second);
}

}  // namespace
}  // namespace attend::app
