#include "metrics/tokenizer/tokenize_13a.h"

#include <gmock/gmock.h>

#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

std::string tokens(std::string_view line) {
  const std::string tokenized = tokenize_13a(line);
  std::string joined;
  for (const std::string_view token : split_whitespace(tokenized)) {
    if (!joined.empty()) joined += ' ';
    joined += token;
  }
  return joined;
}

TEST(Tokenize13a, SeparatesEveryAsciiPunctuationOfTheFirstRule) {
  EXPECT_EQ(tokens("a!b\"c#d$e%f&g(h)i*j+k/l:m;n<o=p>q?r@s"),
            "a ! b \" c # d $ e % f & g ( h ) i * j + k / l : m ; n < o = p > q ? r @ s");
  EXPECT_EQ(tokens("a[b\\c]d^e_f`g{h|i}j~k"), "a [ b \\ c ] d ^ e _ f ` g { h | i } j ~ k");
}

TEST(Tokenize13a, KeepsApostrophesAndDashesBetweenLetters) {
  EXPECT_EQ(tokens("It isn't well-known"), "It isn't well-known");
}

TEST(Tokenize13a, SeparatesPeriodAndCommaUnlessBetweenDigits) {
  EXPECT_EQ(tokens("Rise of 1,234.5 points, or 3."), "Rise of 1,234.5 points , or 3 .");
}

TEST(Tokenize13a, SeparatesCommaAfterDigitBeforeLetter) {
  EXPECT_EQ(tokens("5,a"), "5 , a");
}

TEST(Tokenize13a, SeparatesPeriodAfterLetterBeforeDigit) {
  EXPECT_EQ(tokens("v.5"), "v . 5");
}

// Rule 2 matches "a." and thus consumes the first period. Rule 3 then splits the second one: it
// matches ". " after the first period and then ".b".
TEST(Tokenize13a, SeparatesSequencesOfPeriods) {
  EXPECT_EQ(tokens("a..b"), "a . . b");
  EXPECT_EQ(tokens("wait..."), "wait . . .");
}

// After "1", rule 2 starts with the pair ".,". In its result ". , 2", rule 3 finds nothing to split
// before "2".
TEST(Tokenize13a, FollowsTheRulesInOrderOnMixedPunctuation) {
  EXPECT_EQ(tokens("1.,2"), "1 . , 2");
}

TEST(Tokenize13a, SeparatesDashOnlyAfterDigit) {
  EXPECT_EQ(tokens("2019-2020"), "2019 - 2020");
  EXPECT_EQ(tokens("F-16"), "F-16");
}

TEST(Tokenize13a, UnescapesEntitiesOnceInTheOrderOfMteval) {
  EXPECT_EQ(tokens("&quot;a&quot; &amp; b"), "\" a \" & b");
  EXPECT_EQ(tokens("1 &lt; 2 &gt; 0"), "1 < 2 > 0");
  // &amp; is unescaped before &lt;.
  EXPECT_EQ(tokens("&amp;lt;"), "<");
}

TEST(Tokenize13a, DropsSkippedMarks) {
  EXPECT_EQ(tokens("one <skipped>two"), "one two");
}

TEST(Tokenize13a, LeavesPunctuationOutsideAscii) {
  EXPECT_EQ(tokens("„Straße“ – ¿qué? 你好。"), "„Straße“ – ¿qué ? 你好。");
}

TEST(Tokenize13a, TreatsNonAsciiLettersAndDigitsAsNonDigits) {
  EXPECT_EQ(tokens("é.é ٣,٤"), "é . é ٣ , ٤");
}

TEST(Tokenize13a, GivesNothingForAnEmptyLine) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("   "), "");
}

// The last byte of U+00E9 is not a digit, and neither is the character.
TEST(Tokenize13a, IsNotConfusedByTheBytesOfACharacter) {
  EXPECT_EQ(tokens(".é,é."), ". é , é .");
}

}  // namespace
}  // namespace attend::metrics
