#include "core/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::utf8 {
namespace {

using ::testing::ElementsAre;
using namespace std::literals;

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string replacements(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += kReplacement;
  return text;
}

TEST(Utf8, AcceptsTheFirstAndLastCharacterOfEveryLength) {
  EXPECT_TRUE(is_valid("\0\x7F"sv));
  EXPECT_TRUE(is_valid("\xC2\x80\xDF\xBF"));
  EXPECT_TRUE(is_valid("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"));
  EXPECT_TRUE(is_valid("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
}

TEST(Utf8, RejectsOverlongFormsSurrogatesAndTooLargeOnes) {
  for (const char* text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xC3", "\xE2\x82"}) {
    EXPECT_FALSE(is_valid(text)) << testing::PrintToString(text);
  }
}

TEST(Utf8, LeavesWellFormedTextAlone) {
  EXPECT_EQ(replace_invalid("gr\xC3\xBC\xC3\x9F \xF0\x9F\x99\x82"),
            "gr\xC3\xBC\xC3\x9F \xF0\x9F\x99\x82");
}

// The examples of Unicode 15, section 3.9, table 3-8, with the number of U+FFFD in each.
TEST(Utf8, ReplacesMaximalSubpartsAsInTheUnicodeTables) {
  EXPECT_EQ(replace_invalid("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), replacements(8) + "A");
  EXPECT_EQ(replace_invalid("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), replacements(8) + "A");
  EXPECT_EQ(replace_invalid("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            replacements(5) + "A" + replacements(2) + "B");
  EXPECT_EQ(replace_invalid("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), replacements(4) + "A");
}

TEST(Utf8, KeepsNulBytes) {
  EXPECT_EQ(replace_invalid("a\0\xFF"sv), "a\0"s + kReplacement);
}

TEST(Utf8, DecodesAndEncodes) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82";
  EXPECT_EQ(decode(text), U"a\u00E9\u20AC\U0001F642");
  EXPECT_EQ(encode(U"a\u00E9\u20AC\U0001F642"), text);
  EXPECT_EQ(length(text), 4U);
}

// Regression: a lone continuation byte wrote before the start of an empty string.
TEST(Utf8, DecodesIllFormedBytesAsReplacementCharacters) {
  EXPECT_EQ(decode("\x80"), U"\uFFFD");
  EXPECT_EQ(decode("\xBF\x80"
                   "a\xE2\x82"),
            U"\uFFFD\uFFFDa\uFFFD");
  EXPECT_EQ(decode("\xF4\x91\x92\x93\xFF\x41"),
            U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"
            U"A");
  for (int byte = 0x80; byte < 0x100; ++byte) {
    EXPECT_EQ(decode(std::string(1, static_cast<char>(byte))), U"\uFFFD") << byte;
  }
}

TEST(Utf8, FirstCharacterStaysInsideTheText) {
  EXPECT_EQ(first_character("\xF0\x9F").code, U'\uFFFD');
  EXPECT_EQ(first_character("\xF0\x9F").bytes, 2U);
  EXPECT_EQ(first_character("\xA4"
                            "a")
                .bytes,
            1U);
  EXPECT_EQ(first_character("\xC3\xA4"
                            "a")
                .code,
            U'\u00E4');
}

TEST(Words, AreSplitAtRunsOfAsciiSpacesOnly) {
  EXPECT_THAT(word_spans("  ein  Hund\tlief\xC2\xA0weg "), ElementsAre(Span{2, 5}, Span{7, 21}));
  EXPECT_THAT(word_spans(" ab  c"), ElementsAre(Span{1, 3}, Span{5, 6}));
  EXPECT_TRUE(word_spans("   ").empty());
  EXPECT_TRUE(word_spans("").empty());
}

}  // namespace
}  // namespace attend::utf8
