#include "metrics/tokenizer/tokenizers.h"

#include <gmock/gmock.h>

#include "core/closest_name.h"
#include "core/error.h"
#include "metrics/bleu.h"
#include "metrics/tokenizer/tokenize_13a.h"
#include "metrics/tokenizer/tokenize_ter.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string joined(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split_whitespace(text)) words.emplace_back(word);
  return join(words, " ");
}

std::string tokens(std::string_view tokenizer, std::string_view line) {
  return joined(find_tokenizer(tokenizer)(line));
}

TEST(Tokenizers, FindsEveryNameThatItLists) {
  EXPECT_THAT(tokenizer_names(), ElementsAre("13a", "none", "intl", "char", "zh", "ja-mecab",
                                             "flores101", "flores200"));
  EXPECT_EQ(find_tokenizer("none")("a.b"), "a.b");
  EXPECT_EQ(find_tokenizer("13a")("a.b"), tokenize_13a("a.b"));
}

TEST(Tokenizers, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_THAT(
      [] { (void)find_tokenizer("13b"); },
      ThrowsMessage<UsageError>(HasSubstr("unknown BLEU tokenizer \"13b\"; did you mean "
                                          "\"13a\"?; choices: 13a, none, intl, char, zh, ja-mecab, "
                                          "flores101, flores200")));
}

// sacreBLEU 2.0, test/test_bleu.py: test_corpus_bleu_cases with the tokenizer intl.
TEST(TokenizeIntl, GivesTheBleuOfSacrebleu) {
  const References references{
      {"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
      {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."}};
  const std::vector<std::string> hypotheses{"The dog bit the man.", "It wasn't surprising.",
                                            "The man had just bitten him."};
  EXPECT_NEAR(corpus_score(Bleu({.tokenizer = "intl"}), hypotheses, references).value, 43.91623493,
              1e-6);
}

TEST(TokenizeIntl, SeparatesPunctuationOfEveryScript) {
  EXPECT_EQ(tokens("intl", "„Straße“ ¿qué? 你好。 हिन्दी। it's"),
            "„ Straße “ ¿ qué ? 你好 。 हिन्दी । it ' s");
}

TEST(TokenizeIntl, KeepsPunctuationBetweenNumbersOfEveryScript) {
  EXPECT_EQ(tokens("intl", "1,234.5 ٣،٤ Ⅷ.½"), "1,234.5 ٣،٤ Ⅷ.½");
}

// Rule 1 needs a character before the punctuation and rule 2 one after it.
TEST(TokenizeIntl, KeepsAPeriodAfterANumberAtTheEnd) {
  EXPECT_EQ(tokens("intl", "in 2019."), "in 2019.");
  EXPECT_EQ(tokens("intl", "in 2019. a"), "in 2019 . a");
  EXPECT_EQ(tokens("intl", ".5"), ".5");
}

TEST(TokenizeIntl, SeparatesSymbols) {
  EXPECT_EQ(tokens("intl", "5€+😀©"), "5 € + 😀 ©");
}

// sacreBLEU strips whitespace at the end of a line before tokenizing.
TEST(TokenizeIntl, IgnoresTrailingSpaceInBleu) {
  const std::vector<std::string_view> references{"in 2019."};
  EXPECT_EQ(Bleu({.tokenizer = "intl"}).segment_statistics("in 2019.\u3000 ", references)[0], 2.0);
}

TEST(TokenizeChar, MakesEveryCodePointAToken) {
  EXPECT_EQ(tokens("char", "ab é\u0301\u00a0𝒜"), "a b é \u0301 𝒜");
}

TEST(TokenizeZh, SeparatesChineseCharacters) {
  EXPECT_EQ(tokens("zh", "我有3.5个apple，和it's。"), "我 有 3.5 个 apple ， 和 it's 。");
}

TEST(TokenizeZh, LeavesKanaAndHangulTogether) {
  EXPECT_EQ(tokens("zh", "りの拳銃を持 한국어"), "りの 拳 銃 を 持 한국어");
}

// sacreBLEU's range for extension B is in effect U+2001-2A6D, so U+20000 is not a Chinese
// character.
TEST(TokenizeZh, HasTheEffectiveRangesOfSacrebleu) {
  EXPECT_EQ(tokens("zh", "a—b“c”→d\u2a6de"), "a — b “ c ” → d \u2a6d e");
  EXPECT_EQ(tokens("zh", "a\u2a6eb𠀀𠀁"), "a\u2a6eb𠀀𠀁");
  EXPECT_EQ(tokens("zh", "a\u9fbb+\u9fbcc"), "a \u9fbb + \u9fbcc");  // U+9FBB is the last ideograph
}

TEST(TokenizeZh, StripsTheLine) {
  EXPECT_EQ(tokens("zh", " .5 5. "), ".5 5.");
  EXPECT_EQ(tokens("zh", "a."), "a .");
}

struct TerCase {
  std::string line;
  TerTokenization options;
  std::string expected;
};

class TokenizeTer : public ::testing::TestWithParam<TerCase> {};

TEST_P(TokenizeTer, GivesTheExpectedTokens) {
  EXPECT_EQ(joined(tokenize_ter(GetParam().line, GetParam().options)), GetParam().expected);
}

constexpr TerTokenization kNormalized{.normalized = true};
constexpr TerTokenization kNoPunct{.no_punct = true};
constexpr TerTokenization kAsian{.normalized = true, .asian_support = true};

INSTANTIATE_TEST_SUITE_P(
    SacrebleuTestTokenizerTer, TokenizeTer,
    ::testing::Values(TerCase{"a b c d", {}, "a b c d"}, TerCase{"", {}, ""},
                      TerCase{"a b c d.", {}, "a b c d."}, TerCase{"A B C D.", {}, "a b c d."},
                      TerCase{"a b c d.", kNoPunct, "a b c d"},
                      TerCase{"A ; B ) C : D.", kNoPunct, "a b c d"},
                      TerCase{"a b (c) d.", kNormalized, "a b ( c ) d ."},
                      TerCase{"Jim's car.", kNormalized, "jim 's car ."},
                      TerCase{"4.2", kNormalized, "4.2"},
                      TerCase{"美众院公布对特", kAsian, "美 众 院 公 布 对 特"},
                      TerCase{"りの拳銃を持", kAsian, "りの 拳 銃 を 持"}));

// The possessive is split off after rule 1 and before the periods.
INSTANTIATE_TEST_SUITE_P(
    ByItsRules, TokenizeTer,
    ::testing::Values(TerCase{"Jim's; Jim's.", kNormalized, "jim 's ; jim's ."},
                      TerCase{
                          "Jim'S car", {.normalized = true, .case_sensitive = true}, "Jim'S car"},
                      TerCase{"&quot;a&quot; &amp;lt;", kNormalized, "\" a \" <"},
                      TerCase{"a。b、c！", {}, "a。b、c！"},
                      TerCase{"a。b、c！", kAsian, "a 。 b 、 c ！"},
                      TerCase{"a。b、c！", {.no_punct = true, .asian_support = true}, "abc"},
                      TerCase{"a.b, \"c\"", kNoPunct, "ab c"},
                      TerCase{"a\u4dc0b\u4dbfc", kAsian, "a\u4dc0b \u4dbf c"}));

}  // namespace
}  // namespace attend::metrics
