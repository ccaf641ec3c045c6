#include "text/lowercase.h"

#include <gtest/gtest.h>

namespace attend::text {
namespace {

TEST(Lowercased, LowersLettersOfAnyScript) {
  EXPECT_EQ(Lowercased("ÄB ΓΔ ЖЗ 12").text(), "äb γδ жз 12");
}

TEST(Lowercased, GivesAFinalSigmaItsOwnForm) {
  EXPECT_EQ(Lowercased("ΟΔΟΣ ΣΑΣ").text(), "οδος σας");
}

TEST(Lowercased, KeepsOffsetsIfNoLengthChanges) {
  const Lowercased line("aÄB");
  for (std::size_t offset = 0; offset <= 4; ++offset) EXPECT_EQ(line.original(offset), offset);
}

// U+0130 (2 bytes) becomes "i" and U+0307 (3 bytes); U+212A, the Kelvin sign (3 bytes), becomes
// "k".
TEST(Lowercased, MapsOffsetsOverCharactersThatChangeLength) {
  const Lowercased line("aİB\u212AC");
  ASSERT_EQ(line.text(), "ai\u0307bkc");
  const std::vector<std::size_t> expected = {0, 1, 1, 1, 3, 4, 7, 8};
  for (std::size_t offset = 0; offset < expected.size(); ++offset) {
    EXPECT_EQ(line.original(offset), expected[offset]) << "offset " << offset;
  }
}

TEST(Lowercased, KeepsNulAndControlCharacters) {
  const std::string line("A\0B\x01", 4);
  EXPECT_EQ(Lowercased(line).text(), std::string("a\0b\x01", 4));
}

TEST(Lowercased, IsEmptyForAnEmptyLine) {
  const Lowercased line("");
  EXPECT_EQ(line.text(), "");
  EXPECT_EQ(line.original(0), 0U);
}

}  // namespace
}  // namespace attend::text
