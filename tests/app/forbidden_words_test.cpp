#include "app/forbidden_words.h"

#include <gmock/gmock.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/temp_dir.h"
#include "text/tokenizer_training.h"

namespace attend::app {
namespace {

/// Characters as pieces, so that every way to write a word is open.
std::shared_ptr<const text::Tokenizer> characters() {
  text::TokenizerOptions options;
  options.type = "char";
  options.vocabulary = 30;
  std::vector<std::string> lines(3, "ein hund , hunde und 7 katzen .");
  const auto next = [&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string line = lines.back();
    lines.pop_back();
    return line;
  };
  const attend::test::TempDir dir;
  const auto file = dir.write("model", text::train_tokenizer(options, false, 1, next));
  return std::make_shared<text::Tokenizer>(file, /*lowercase=*/false);
}

/// The pieces that may follow.
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

TEST(ForbiddenWords, LetAWordGoOnButNotEnd) {
  const auto tokenizer = characters();
  const ForbiddenWords words(tokenizer, {"hund", "und"});
  for (const char* text : {"ein hund", "hund", "und", ", und"}) {
    const std::string allowed = allowed_after(words, *tokenizer, text);
    for (const char* end : {"</s>", "\u2581", ",", "."})
      EXPECT_THAT(allowed, testing::Not(testing::HasSubstr(end))) << text;
    for (const char* more : {"e", "7"}) EXPECT_THAT(allowed, testing::HasSubstr(more)) << text;
  }
}

TEST(ForbiddenWords, LeaveOtherWordsAlone) {
  const auto tokenizer = characters();
  const ForbiddenWords words(tokenizer, {"hund"});
  const std::string all = allowed_after(words, *tokenizer, "");
  for (const char* text : {"hunde", "und", "hun", "hund .", "katzen"})
    EXPECT_EQ(allowed_after(words, *tokenizer, text), all) << text;
}

}  // namespace
}  // namespace attend::app
