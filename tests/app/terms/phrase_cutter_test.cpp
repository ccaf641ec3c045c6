#include "app/terms/phrase_cutter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/terms/tokenizers.h"

namespace attend::app {
namespace {

using test::character_tokenizer;
using test::word_tokenizer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The pieces of each phrase, joined.
std::vector<std::string> texts_of(const text::Tokenizer& tokenizer,
                                  const std::vector<decode::Phrase>& phrases) {
  std::vector<std::string> texts;
  for (const decode::Phrase& phrase : phrases) {
    auto& text = texts.emplace_back();
    for (const text::TokenId id : phrase.tokens) text += tokenizer.piece(id);
  }
  return texts;
}

TEST(PhraseCutter, CutsATextAsInsideASentence) {
  const auto tokenizer = character_tokenizer("ein hund .");
  const auto phrases = PhraseCutter(tokenizer).cut({"hund", "ein hund", "."});
  EXPECT_THAT(texts_of(*tokenizer, phrases), ElementsAre("▁hund", "▁ein▁hund", "▁."));
}

TEST(PhraseCutter, LetsOnlyWordsEndAWord) {
  const auto phrases =
      PhraseCutter(character_tokenizer("ein hund .")).cut({"hund", ".", "ein hund ."});
  EXPECT_TRUE(phrases[0].ends_word);
  EXPECT_FALSE(phrases[1].ends_word);
  EXPECT_FALSE(phrases[2].ends_word);
}

TEST(PhraseCutter, MarksPiecesThatContinueAWord) {
  const auto tokenizer = character_tokenizer("ein hund 7 猫 .");
  const auto required = PhraseCutter(tokenizer).require({});
  ASSERT_NE(required.continues_word, nullptr);
  std::string continuing;
  for (text::TokenId id = 0; id < tokenizer->size(); ++id) {
    if ((*required.continues_word)[static_cast<std::size_t>(id)] != 0)
      continuing += tokenizer->piece(id);
  }
  EXPECT_THAT(continuing, AllOf(HasSubstr("h"), HasSubstr("7")));
  for (const char* other : {"▁", ".", "猫", "<s>"})
    EXPECT_THAT(continuing, ::testing::Not(HasSubstr(other)));
}

TEST(PhraseCutter, LetsScriptsWithoutSpacesFollowOtherText) {
  const auto tokenizer = character_tokenizer("猫 が いる");
  const auto phrases = PhraseCutter(tokenizer).cut({"猫が"});
  EXPECT_THAT(texts_of(*tokenizer, phrases), ElementsAre("▁猫が", "猫が"));
  EXPECT_FALSE(phrases[0].ends_word);
}

TEST(PhraseCutter, KeepsTheConventionsOfTheTokenizer) {
  const auto lower = word_tokenizer("der hund", /*lowercase=*/true);
  EXPECT_THAT(texts_of(*lower, PhraseCutter(lower).cut({"Der HUND"})), ElementsAre("▁der▁hund"));
  const auto reversed = word_tokenizer("der hund", true, text::PieceOrder::kReversed);
  EXPECT_THAT(texts_of(*reversed, PhraseCutter(reversed).cut({"der hund"})),
              ElementsAre("▁hund▁der"));
  EXPECT_EQ(PhraseCutter(reversed).require({}).continues_word, nullptr);
}

TEST(PhraseCutter, NamesWhatNoTranslationCanContain) {
  const auto tokenizer = character_tokenizer("ein hund .");
  const PhraseCutter cutter(
      tokenizer, std::make_shared<ForbiddenWords>(tokenizer, std::vector<std::string>{"hund"}));
  EXPECT_EQ(cutter.problem("ein hunden"), "");
  EXPECT_THAT(cutter.problem("ein ☃"), HasSubstr("has \"☃\", which the model's vocabulary lacks"));
  EXPECT_THAT(cutter.problem(" "), HasSubstr("is empty"));
  EXPECT_THAT(cutter.problem("ein hund."), HasSubstr("contains a forbidden word"));
}

}  // namespace
}  // namespace attend::app
