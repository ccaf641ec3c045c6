#include "metrics/tokenizer/replace_all.h"

#include <gtest/gtest.h>

#include <string>

namespace attend::metrics {
namespace {

TEST(ReplaceAll, ReplacesFromLeftToRightWithoutRescanning) {
  std::string text = "xaabaab";
  replace_all(text, "aab", "a");
  EXPECT_EQ(text, "xaa");
  replace_all(text, "aa", "");
  EXPECT_EQ(text, "x");
}

std::size_t moved_characters = 0;

/// Character traits that count how often characters are moved.
struct CountingTraits : std::char_traits<char> {
  static char* move(char* to, const char* from, std::size_t count) {
    moved_characters += count;
    return std::char_traits<char>::move(to, from, count);
  }
  static char* copy(char* to, const char* from, std::size_t count) {
    moved_characters += count;
    return std::char_traits<char>::copy(to, from, count);
  }
};

// Regression: a line with 200,000 entities took six seconds, because each one moved the rest.
TEST(ReplaceAll, TakesLinearTime) {
  constexpr std::size_t kOccurrences = 10'000;
  std::basic_string<char, CountingTraits> text;
  for (std::size_t i = 0; i < kOccurrences; ++i) text += "&quot;ab";
  moved_characters = 0;
  replace_all(text, "&quot;", "\"");
  EXPECT_EQ(text.size(), 3 * kOccurrences);
  EXPECT_LE(moved_characters, 4 * 8 * kOccurrences);
}

}  // namespace
}  // namespace attend::metrics
