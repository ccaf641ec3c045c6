#include "app/translate/forbidden_words.h"

#include <gmock/gmock.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/temp_dir.h"
#include "text/tokenizer_training.h"

namespace attend::app {
namespace {

std::shared_ptr<const text::Tokenizer> tokenizer_of(text::TokenizerType type,
                                                    const std::string& line) {
  text::TokenizerOptions options;
  options.type = type;
  options.vocabulary = type == text::TokenizerType::character ? 30 : 10;
  std::vector<std::string> lines(3, line);
  const auto next = [&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string next_line = lines.back();
    lines.pop_back();
    return next_line;
  };
  const attend::test::TempDir dir;
  const auto file = dir.write("model", text::train_tokenizer(options, false, next));
  return std::make_shared<text::Tokenizer>(file, /*lowercase=*/false);
}

/// A tokenizer with characters as pieces, which can write a word in every way.
std::shared_ptr<const text::Tokenizer> characters() {
  return tokenizer_of(text::TokenizerType::character, "ein hund , hunde und 7 katzen . HU-");
}

std::shared_ptr<const text::Tokenizer> words_as_pieces(const std::string& line) {
  return tokenizer_of(text::TokenizerType::word, line);
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
  const auto tokenizer = words_as_pieces("ja, nein jaja, ja-nein");
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

}  // namespace
}  // namespace attend::app
