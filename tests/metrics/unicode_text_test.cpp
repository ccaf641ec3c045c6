#include "metrics/unicode_text.h"

#include <gmock/gmock.h>

#include "core/utf8.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitWhitespace, DropsEmptyParts) {
  EXPECT_THAT(split_whitespace("  a  bc\td "), ElementsAre("a", "bc", "d"));
  EXPECT_THAT(split_whitespace(" \t"), IsEmpty());
}

// Python 3: all of
// "\x1c\x1d\x1e\x1f\x0b\x0c\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000" are isspace().
TEST(SplitWhitespace, SplitsWherePythonDoes) {
  for (const char* space :
       {"\x1c", "\x1d", "\x1e", "\x1f", "\v", "\f", "\r", "\u0085", "\u00a0", "\u1680", "\u2000",
        "\u2005", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"}) {
    EXPECT_THAT(split_whitespace(std::string("a") + space + "é"), ElementsAre("a", "é"));
  }
}

// Zero-width space, word joiner, Mongolian vowel separator, byte-order mark and their neighbours
// are not whitespace.
TEST(SplitWhitespace, KeepsCharactersThatOnlyLookLikeSpaces) {
  for (const char* other :
       {"\u200b", "\u2060", "\u180e", "\ufeff", "\u2027", "\u0084", "\u1681", "\u3001", "\x1b"}) {
    EXPECT_EQ(split_whitespace(std::string("a") + other + "b").size(), 1U);
  }
}

TEST(Strip, TakesEveryKindOfSpaceOffTheEnds) {
  EXPECT_EQ(strip("\u3000 \ta b\u2028\u0085\u00a0 "), "a b");
  EXPECT_EQ(strip_end(" a b\u3000\n"), " a b");
  EXPECT_EQ(strip("\u00a0 \u3000"), "");
  EXPECT_EQ(strip_end(""), "");
}

TEST(Strip, KeepsTheBytesOfOtherCharacters) {
  EXPECT_EQ(strip("\u200ba\u0105"), "\u200ba\u0105");  // shares its last byte with U+0085
}

TEST(FirstCharacter, DecodesEveryLength) {
  for (const std::u32string_view one : {U"a", U"\u07ff", U"\u0800", U"\uffff", U"\U0010fffd"}) {
    const std::string text = utf8::encode(one) + "x";
    EXPECT_EQ(first_character(text).code, one[0]);
    EXPECT_EQ(first_character(text).bytes, utf8::encode(one));
  }
}

// Regression: the length given by the first byte could exceed the text.
TEST(FirstCharacter, StaysInsideATruncatedCharacter) {
  EXPECT_EQ(first_character("\xF0\x9F").bytes, "\xF0\x9F");
  EXPECT_EQ(first_character("\xA4").code, U'\uFFFD');
  EXPECT_EQ(space_characters("\xA4\xF0", [](char32_t) { return true; }), " \xA4  \xF0 ");
}

TEST(LowerCase, FollowsPythonOutsideAscii) {
  EXPECT_EQ(lower_case("ABC xyz 1"), "abc xyz 1");
  EXPECT_EQ(lower_case("ÄÖÜ ЖЩ"), "äöü жщ");
  EXPECT_EQ(lower_case("İ"), "i\u0307");        // U+0130 becomes two characters
  EXPECT_EQ(lower_case("ΟΔΟΣ ΟΣ"), "οδος ος");  // final sigma
}

}  // namespace
}  // namespace attend::metrics
