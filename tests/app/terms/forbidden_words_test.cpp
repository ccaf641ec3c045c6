#include "app/terms/forbidden_words.h"

#include <gmock/gmock.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/app/terms/tokenizers.h"

namespace attend::app {
namespace {

/// A tokenizer with characters as pieces, which can write a word in every way.
std::shared_ptr<const text::Tokenizer> characters() {
  return test::character_tokenizer("ein hund , hunde und 7 katzen . HU-");
}

/// The pieces that are allowed next.
std::string allowed_after(const ForbiddenWords& words, const text::Tokenizer& tokenizer,
                          const std::string& text) {
  torch::Tensor row = torch::zeros({tokenizer.size()});
  words.forbid(tokenizer.encode(text), row);
  std::string allowed;
  for (text::TokenId id = text::kEos; id < tokenizer.size(); ++id) {
    if (!std::isinf(row[id].item<float>())) allowed += tokenizer.piece(id);
  }
  return allowed;
}

TEST(ForbiddenWords, LetAWordContinueButNotEnd) {
  const auto tokenizer = characters();
  const ForbiddenWords words(tokenizer, {"hund", "und"});
  for (const char* text : {"ein hund", "hund", "und", ", und"}) {
    const std::string allowed = allowed_after(words, *tokenizer, text);
    for (const char* end : {"</s>", "\u2581", ",", "."})
      EXPECT_THAT(allowed, testing::Not(testing::HasSubstr(end))) << text;
    for (const char* more : {"e", "7"}) EXPECT_THAT(allowed, testing::HasSubstr(more)) << text;
  }
}

TEST(ForbiddenWords, MatchWordsWithPunctuationInEitherCase) {
  const auto tokenizer = characters();
  const ForbiddenWords words(tokenizer, {"hund-katze", "z.", "Ein"});
  for (const char* text : {"hund-katze", "7 HUnd-katze", "ein", "-ein"}) {
    const std::string allowed = allowed_after(words, *tokenizer, text);
    for (const char* end : {"</s>", "\u2581", ",", "-"})
      EXPECT_THAT(allowed, testing::Not(testing::HasSubstr(end))) << text;
    EXPECT_THAT(allowed, testing::HasSubstr("e")) << text;
  }
  const std::string allowed = allowed_after(words, *tokenizer, "7 z.");
  EXPECT_THAT(allowed, testing::Not(testing::HasSubstr("\u2581")));
  EXPECT_THAT(allowed, testing::HasSubstr(",")) << "\"z.,\" is another word";
}

TEST(ForbiddenWords, EndAtPunctuationInside) {
  const auto tokenizer = characters();
  const ForbiddenWords words(tokenizer, {"katze"});
  EXPECT_THAT(allowed_after(words, *tokenizer, "hund-katze"),
              testing::Not(testing::HasSubstr("</s>")));
}

// A piece may contain a whole word and the text after it.
TEST(ForbiddenWords, SearchWithinPieces) {
  const auto tokenizer = test::word_tokenizer("ja, nein jaja, ja-nein");
  const ForbiddenWords words(tokenizer, {"ja"});
  const std::string allowed = allowed_after(words, *tokenizer, "");
  EXPECT_THAT(allowed, testing::Not(testing::HasSubstr("\u2581ja,")));
  EXPECT_THAT(allowed, testing::Not(testing::HasSubstr("\u2581ja-nein")));
  EXPECT_THAT(allowed, testing::HasSubstr("\u2581jaja,"));
}

TEST(ForbiddenWords, LeaveOtherWordsAlone) {
  const auto tokenizer = characters();
  const ForbiddenWords words(tokenizer, {"hund", "\u2581"});
  const std::string all = allowed_after(words, *tokenizer, "");
  for (const char* text : {"hunde", "und", "hun", "hund .", "katzen", "hund-e"})
    EXPECT_EQ(allowed_after(words, *tokenizer, text), all) << text;
}

// Symptom: リスト stayed in every Japanese translation that did not end with it.
TEST(ForbiddenWords, AreFoundAnywhereInScriptsWithoutSpaces) {
  using testing::HasSubstr;
  using testing::Not;
  const auto tokenizer = test::character_tokenizer("一覧リストをプPDFx");
  const ForbiddenWords words(tokenizer, {"リスト", "PDF"});
  for (const char* text : {"リス", "プリス", "xリス", "一覧 リス"})
    EXPECT_THAT(allowed_after(words, *tokenizer, text), Not(HasSubstr("ト"))) << text;
  EXPECT_THAT(allowed_after(words, *tokenizer, "スリ"), HasSubstr("ト"));
  EXPECT_THAT(allowed_after(words, *tokenizer, "リスト"), HasSubstr("を")) << "a forced prefix";
  for (const char* text : {"PDF", "をPDF"})
    EXPECT_THAT(allowed_after(words, *tokenizer, text),
                AllOf(Not(HasSubstr("を")), HasSubstr("x")));
  const auto pieces = test::word_tokenizer("リストを 一覧を");
  EXPECT_THAT(allowed_after({pieces, {"リスト"}}, *pieces, ""),
              AllOf(Not(HasSubstr("リスト")), HasSubstr("一覧を")));
  for (const char* text : {"プリストを", "リスト", "PDFを"})
    EXPECT_TRUE(words.occur_in(text)) << text;
  for (const char* text : {"リス", "PDFxを", "xPDF"}) EXPECT_FALSE(words.occur_in(text)) << text;
}

// Symptom: --forbid with a full-width or half-width word kept nothing out.
TEST(ForbiddenWords, AreNormalisedAsTheTokenizerDoes) {
  const auto tokenizer = test::character_tokenizer("一覧リストをPDFx");
  const ForbiddenWords words(tokenizer, {"ﾘｽﾄ", "ＰＤＦ"});
  EXPECT_THAT(allowed_after(words, *tokenizer, "リス"), testing::Not(testing::HasSubstr("ト")));
  EXPECT_THAT(allowed_after(words, *tokenizer, "PDF"), testing::Not(testing::HasSubstr("を")));
  for (const char* text : {"リスト", "ﾘｽﾄ", "pdfを"}) EXPECT_TRUE(words.occur_in(text)) << text;
}

TEST(ForbiddenWords, MustBeOneWordAfterNormalisation) {
  const auto tokenizer = characters();
  const auto problem = [&](const char* word) { return ForbiddenWords::problem(*tokenizer, word); };
  for (const char* word : {"hund", "hund-katze", "z.", "Ｈund"})
    EXPECT_EQ(problem(word), "") << word;
  EXPECT_EQ(problem(""), "is empty");
  EXPECT_EQ(problem("ein hund"), "has a space");
  EXPECT_EQ(problem("ein\u3000hund"), "is more than one word for the tokenizer: \"ein hund\"");
  EXPECT_THAT(problem("\u200b"), testing::HasSubstr("the tokenizer removes it"));
}

TEST(ForbiddenWords, FindThemselvesInAText) {
  const ForbiddenWords words(characters(), {"hund", "und", "etc."});
  for (const char* text : {"Hund", "ein hund.", "katzen und", "(und)", "etc."})
    EXPECT_TRUE(words.occur_in(text)) << text;
  for (const char* text : {"", "hunde", "bund", "etc.x"})
    EXPECT_FALSE(words.occur_in(text)) << text;
}

}  // namespace
}  // namespace attend::app
