#include "text/placeholders.h"

#include <gmock/gmock.h>

#include "core/random.h"
#include "text/protected_spans.h"

namespace attend::text {
namespace {

using testing::ElementsAre;

const ProtectedSpans& all_kinds() {
  static const ProtectedSpans spans(
      ProtectOptions{.kinds = {ProtectedKind::all}, .patterns = {"[A-Z]{2,}-\\d+"}});
  return spans;
}

struct Replaced {
  std::vector<std::string> texts;
  ProtectedLine line;
};

Replaced replaced(const std::string& line) {
  const auto parts = all_kinds().find(line);
  auto texts = placeholder_texts(line, parts);
  return {texts, with_placeholders(line, parts, texts)};
}

TEST(Placeholders, EqualTextsHaveOnePlaceholder) {
  const auto [texts, line] = replaced("Copy 5 of %s to %s, 5 times");
  EXPECT_THAT(texts, ElementsAre("5", "%s"));
  EXPECT_EQ(line.text, "Copy \u27E61\u27E7 of \u27E62\u27E7 to \u27E62\u27E7, \u27E61\u27E7 times");
}

TEST(Placeholders, LeaveTextsBeyondTheirNumberButNoSymbol) {
  std::string source;
  for (int i = 1; i <= 17; ++i) source += std::to_string(100 + i) + " ";
  source += "\u27E63\u27E7";
  const auto [texts, line] = replaced(source);
  ASSERT_EQ(texts.size(), kPlaceholders);
  EXPECT_EQ(texts.back(), "\u27E63\u27E7");
  EXPECT_THAT(line.text, testing::EndsWith("\u27E615\u27E7 116 117 \u27E616\u27E7"));
}

// Symptom: the time grew with the square of the number of parts. 100,000 parts took minutes.
TEST(Placeholders, OfAVeryLongLineAreTheFirstTexts) {
  std::string source;
  std::vector<utf8::Span> parts;
  for (int i = 0; i < 100'000; ++i) {
    const std::string number = std::to_string(i);
    parts.push_back({source.size(), source.size() + number.size()});
    source += number + " ";
  }
  const auto texts = placeholder_texts(source, parts);
  ASSERT_EQ(texts.size(), kPlaceholders);
  EXPECT_EQ(texts.back(), "15");
}

// A symbol has 7 bytes.
TEST(Placeholders, KnowThePlacesInTheOriginalLine) {
  const ProtectedLine line = replaced("a 5{0} b").line;
  ASSERT_EQ(line.text, "a \u27E61\u27E7\u27E62\u27E7 b");
  EXPECT_EQ(line.original({0, 1}), (utf8::Span{0, 1}));
  EXPECT_EQ(line.original({1, 2}), (utf8::Span{1, 2}));
  EXPECT_EQ(line.original({2, 9}), (utf8::Span{2, 3}));
  EXPECT_EQ(line.original({1, 9}), (utf8::Span{1, 3}));
  EXPECT_EQ(line.original({9, 16}), (utf8::Span{3, 6}));
  EXPECT_EQ(line.original({16, 18}), (utf8::Span{6, 8}));
  EXPECT_EQ(line.original({5, 5}), (utf8::Span{2, 2}));
}

/// A line of characters and parts that rules look for, in any order, also cut.
std::string odd_line(Random& random) {
  static const std::vector<std::string> units = {"%s",
                                                 "%1$d",
                                                 "{0}",
                                                 "{{x}}",
                                                 "${a}",
                                                 "$b",
                                                 "&amp;",
                                                 "\\n",
                                                 "5",
                                                 "1,000.5",
                                                 "50%",
                                                 "-",
                                                 "https://a.org/x?y",
                                                 "a@b.org",
                                                 "/etc/x",
                                                 "C:\\a",
                                                 "a.txt",
                                                 "\U0001F468\u200D\U0001F469",
                                                 "\U0001F1E9",
                                                 "\uFE0F\u20E3",
                                                 "\u27E61\u27E7",
                                                 "\u27E6",
                                                 "\u27E7",
                                                 "\u27E62",
                                                 "AB-1",
                                                 " ",
                                                 " ",
                                                 "word",
                                                 ".",
                                                 ",",
                                                 "\u00E4",
                                                 "\u4E2D",
                                                 "\u00A0",
                                                 "(",
                                                 ")",
                                                 "%",
                                                 "{",
                                                 "}",
                                                 "&",
                                                 "#",
                                                 "\xFF",
                                                 "\xE2\x9F",
                                                 "\xC3",
                                                 "0x",
                                                 "://",
                                                 "@",
                                                 "\u2047"};
  std::string line;
  const uint64_t count = random.below(30);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string& unit = units[random.below(units.size())];
    line += unit.substr(0, random.below(8) == 0 ? random.below(unit.size() + 1) : unit.size());
    if (random.below(10) == 0) line += static_cast<char>(random.below(256));
  }
  return line;
}

TEST(Placeholders, OfAnyLineGiveItBack) {
  Random random(57);
  for (int i = 0; i < 100'000; ++i) {
    std::string line = odd_line(random);
    if (i % 2 == 0) line = utf8::replace_invalid(line);
    const auto [texts, with] = replaced(line);
    ASSERT_EQ(without_placeholders(with.text, texts), line);
    for (const ProtectedPart& part : with.parts)
      ASSERT_EQ(with.original(part.replaced), part.original) << line;
  }
}

}  // namespace
}  // namespace attend::text
