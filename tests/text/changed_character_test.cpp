#include "text/changed_character.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"
#include "text/tokenizer_training.h"

namespace attend::text {
namespace {

/// A tokenizer of characters that knows those of `line`.
Tokenizer tokenizer_of(const std::string& line, Normalization rule, bool lowercase = false) {
  const test::TempDir folder;
  TokenizerOptions options;
  options.type = TokenizerType::character;
  options.vocabulary = 100;
  options.normalization = rule;
  std::vector<std::string> lines{line};
  const auto next = [&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string last = std::move(lines.back());
    lines.pop_back();
    return last;
  };
  return {folder.write("m", train_tokenizer(options, lowercase, next)), lowercase};
}

std::optional<char32_t> changed(const std::string& line, Normalization rule,
                                bool lowercase = false) {
  return first_changed_character(tokenizer_of(line, rule, lowercase), line);
}

// Unicode's NFKC (UnicodeData.txt): FF0C <wide> 002C, 0E33 <compat> 0E4D 0E32, 2026 <compat> 002E
// 002E 002E. Rules with nmt_ turn 200B into a blank.
TEST(FirstChangedCharacter, IsTheFirstThatNormalisationReplaces) {
  using enum Normalization;
  EXPECT_EQ(changed("你好，世界！", nmt_nfkc), U'，');
  EXPECT_EQ(changed("การทำงาน", nmt_nfkc), U'ำ');
  EXPECT_EQ(changed("und so…", nfkc), U'…');
  EXPECT_EQ(changed("ไทย\u200Bไทย", nmt_nfkc), U'\u200B');
}

TEST(FirstChangedCharacter, IsNothingIfAllAreKept) {
  using enum Normalization;
  EXPECT_EQ(changed("你好，世界！การทำงาน\u200B…", identity), std::nullopt);
  EXPECT_EQ(changed("ไทย\u200Bไทย", nfkc), std::nullopt);
  EXPECT_EQ(changed("„Größe“ – 你好。", nmt_nfkc), std::nullopt);
  EXPECT_EQ(first_changed_character(tokenizer_of("x", nmt_nfkc), ""), std::nullopt);
}

TEST(FirstChangedCharacter, IgnoresCaseBlanksAndNonJoiners) {
  using enum Normalization;
  EXPECT_EQ(changed("Ein Hund", nmt_nfkc_cf), std::nullopt);
  EXPECT_EQ(changed("Ein Hund", nmt_nfkc, true), std::nullopt);
  EXPECT_EQ(changed(" a\u3000b\u00A0: ", nmt_nfkc), std::nullopt);
  EXPECT_EQ(changed("می\u200Cخواهم", nmt_nfkc), std::nullopt);
}

TEST(FirstChangedCharacter, IsNothingForALineWithUnknownCharacters) {
  EXPECT_EQ(first_changed_character(tokenizer_of("，", Normalization::nmt_nfkc), "，x"),
            std::nullopt);
}

}  // namespace
}  // namespace attend::text
