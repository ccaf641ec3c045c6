#include "metrics/tokenizer/writing.h"

#include <gmock/gmock.h>

#include <initializer_list>
#include <string_view>

#include "metrics/tokenizer/tokenize_ja_mecab.h"

namespace attend::metrics {
namespace {

Writing writing_of(std::initializer_list<std::string_view> lines) {
  Writing writing;
  for (const std::string_view line : lines) writing.add(line);
  return writing;
}

constexpr std::string_view kGerman = "Der Hund schläft im Garten.";
constexpr std::string_view kRussian = "Собака спит в саду.";
constexpr std::string_view kKorean = "개가 정원에서 잔다.";
constexpr std::string_view kJapanese = "犬は庭で寝ています。";
constexpr std::string_view kChinese = "狗在花园里睡觉。";
constexpr std::string_view kThai = "สุนัขนอนอยู่ในสวน และแมวนอนอยู่บนหลังคา";
constexpr std::string_view kTibetan = "བོད་སྐད་ནི་སྐད་ཡིག་ཅིག་ཡིན།";

TEST(Writing, WordsBetweenSpacesTake13a) {
  for (const std::string_view line : {kGerman, kRussian, kKorean})
    EXPECT_EQ(writing_of({line}).tokenizer(), "13a") << line;
}

// Regression: with 13a, the validation BLEU of a Japanese model was 0.00, whatever it had learnt.
TEST(Writing, ScriptsWithoutSpacesTakeCharactersOrZh) {
  EXPECT_EQ(writing_of({kJapanese}).tokenizer(), has_mecab() ? "ja-mecab" : "char");
  EXPECT_EQ(writing_of({kChinese}).tokenizer(), "zh");
  EXPECT_EQ(writing_of({kThai}).tokenizer(), "char");
  EXPECT_EQ(writing_of({kTibetan}).tokenizer(), "char");
}

TEST(Writing, TheLargerShareOfTheLettersDecides) {
  EXPECT_EQ(writing_of({kGerman, kGerman, kChinese}).tokenizer(), "13a");
  EXPECT_EQ(writing_of({kChinese, kChinese, kChinese, "PDF"}).tokenizer(), "zh");
  // One kana beside 21 ideographs is a quotation, not Japanese.
  EXPECT_EQ(writing_of({kChinese, kChinese, kChinese, "の"}).tokenizer(), "zh");
}

TEST(Writing, SeparatedWordsOfSuchAScriptTake13a) {
  EXPECT_EQ(writing_of({"犬 は 庭 で 寝 て い ます 。"}).tokenizer(), "13a");
  EXPECT_EQ(writing_of({"สุนัข นอน อยู่ ใน สวน"}).tokenizer(), "13a");
}

// Lines of one short word have few characters between spaces, as if words were separated.
TEST(Writing, ShortLinesAreNotTakenForSeparatedWords) {
  EXPECT_EQ(writing_of({"你好", "谢谢", "再见"}).tokenizer(), "zh");
}

TEST(Writing, CountsWordsPerLineThatHasAny) {
  EXPECT_DOUBLE_EQ(writing_of({"a b c", "", "a b", " "}).words_per_line(), 2.5);
  EXPECT_TRUE(writing_of({"Gärten", "", kJapanese}).has_one_word_per_line());
  EXPECT_FALSE(writing_of({"a b", "c"}).has_one_word_per_line());  // 1.5
  EXPECT_FALSE(writing_of({""}).has_one_word_per_line());
}

TEST(Writing, TextWithoutLettersTakes13a) {
  EXPECT_EQ(writing_of({}).tokenizer(), "13a");
  EXPECT_EQ(writing_of({"1 2 3", "…"}).tokenizer(), "13a");
  EXPECT_EQ(writing_of({"1 2 3"}).name(), "no letters");
}

TEST(Writing, NamesTheWriting) {
  EXPECT_EQ(writing_of({kGerman}).name(), "Latin");
  EXPECT_EQ(writing_of({kJapanese}).name(), "Japanese");
  EXPECT_EQ(writing_of({kChinese}).name(), "Chinese");
  EXPECT_EQ(writing_of({kThai}).name(), "Thai");
}

TEST(Writing, KnowsABetterTokenizerThanOneThatNeedsSpaces) {
  for (const char* name : {"13a", "none", "intl"}) {
    EXPECT_EQ(writing_of({kChinese}).better_than(name), "zh") << name;
    EXPECT_EQ(writing_of({"Gärten", "Hüte"}).better_than(name), "char") << name;
    EXPECT_EQ(writing_of({kGerman}).better_than(name), "") << name;
  }
  for (const char* name : {"zh", "char"}) EXPECT_EQ(writing_of({kJapanese}).better_than(name), "");
  for (const char* name : {"zh", "ja-mecab"}) {  // sacreBLEU's leave Thai words whole
    EXPECT_EQ(writing_of({kThai}).better_than(name), "char") << name;
    EXPECT_EQ(writing_of({kChinese}).better_than(name), "") << name;
    EXPECT_EQ(writing_of({kGerman}).better_than(name), "") << name;
  }
  EXPECT_EQ(writing_of({kThai}).better_than("flores200"), "");
}

}  // namespace
}  // namespace attend::metrics
