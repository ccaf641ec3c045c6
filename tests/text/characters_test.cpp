#include "text/characters.h"

#include <gtest/gtest.h>

#include <ios>

namespace attend::text {
namespace {

TEST(Characters, LastCharacterIsWhole) {
  EXPECT_EQ(last_character("aé").code, U'é');
  EXPECT_EQ(last_character("aé").bytes, 2U);
  EXPECT_EQ(last_character("。").bytes, 3U);
  EXPECT_EQ(last_character("\U0001F600").bytes, 4U);
  EXPECT_EQ(last_character("x").code, U'x');
}

TEST(Characters, BlanksAreTrimmed) {
  const std::string_view text = " \t\u00A0a b\u3000 ";
  EXPECT_EQ(trimmed(text, {0, text.size()}), (utf8::Span{4, 7}));
  EXPECT_EQ(trimmed("  ", {0, 2}), (utf8::Span{2, 2}));
  EXPECT_EQ(trimmed("", {0, 0}), (utf8::Span{0, 0}));
}

TEST(Characters, ChineseAndJapaneseAreWrittenWithoutBlanks) {
  for (const char32_t code : U"犬いカ。、「！")
    EXPECT_TRUE(code == 0 || is_written_without_blanks(code)) << std::hex << uint32_t{code};
  for (const char32_t code : U"aж.1한ไ \u00A0\u3000")
    EXPECT_FALSE(code != 0 && is_written_without_blanks(code)) << std::hex << uint32_t{code};
}

TEST(Characters, LettersAndQuotesOfAnyScript) {
  EXPECT_TRUE(has_letter("12 é"));
  EXPECT_TRUE(has_letter("…犬"));
  EXPECT_FALSE(has_letter("12.5 % \U0001F600 —"));
  EXPECT_FALSE(has_letter(""));
  for (const char32_t code : U"\"'“”„«»()[]「』")
    EXPECT_TRUE(code == 0 || is_bracket_or_quote(code));
  EXPECT_FALSE(is_bracket_or_quote(U'.'));
}

}  // namespace
}  // namespace attend::text
