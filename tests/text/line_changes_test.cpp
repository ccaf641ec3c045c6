#include "text/line_changes.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/utf8.h"

namespace attend::text {
namespace {

TEST(LineChanges, PutLettersOfAnyScriptInCapitals) {
  EXPECT_EQ(upper_case("Straße, ǆ 2 κόσμος"), "STRASSE, Ǆ 2 ΚΌΣΜΟΣ");
  EXPECT_EQ(upper_case("日本"), "日本");
  EXPECT_EQ(upper_case(""), "");
}

TEST(LineChanges, GiveEachWordACapitalAndKeepTheRest) {
  EXPECT_EQ(title_case("a man in an iPhone shop , élan"), "A Man In An IPhone Shop , Élan");
  EXPECT_EQ(title_case("don't"), "Don't");
}

TEST(LineChanges, TakeTheMarkFromTheEnd) {
  EXPECT_EQ(without_final_mark("a dog ."), "a dog");
  EXPECT_EQ(without_final_mark("What?! "), "What");
  EXPECT_EQ(without_final_mark("犬です。"), "犬です");
  EXPECT_EQ(without_final_mark("नमस्ते ।"), "नमस्ते");
}

TEST(LineChanges, LeaveLinesWithoutFinalMark) {
  for (const char* line : {"a dog", "(a dog.)", "...", " . ", "", "a, "})
    EXPECT_EQ(without_final_mark(line), line);
}

/// True if at most one slip turns `from` into `to`: a letter after the first one is missing,
/// doubled, exchanged with the next one or replaced by a letter of `line`.
bool is_one_slip(const std::u32string& from, const std::u32string& to, const std::u32string& line) {
  std::set<std::u32string> slips = {from};  // exchanging equal letters changes nothing
  for (std::size_t i = 1; i < from.size(); ++i) {
    std::u32string slip = from;
    slips.insert(slip.erase(i, 1));
    slip = from;
    slips.insert(slip.insert(i, 1, from[i]));
    for (const char32_t letter : line) {
      slip = from;
      slip[i] = letter;
      slips.insert(slip);
    }
    if (i + 1 == from.size()) continue;
    slip = from;
    std::swap(slip[i], slip[i + 1]);
    slips.insert(slip);
  }
  return slips.contains(to);
}

TEST(LineChanges, MakeOneSlipInAWordBehindItsFirstLetter) {
  const std::u32string line = U"Größe";
  std::map<std::size_t, int> lengths;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::u32string slipped = utf8::decode(with_typos("Größe", random));
    EXPECT_TRUE(is_one_slip(line, slipped, line)) << utf8::encode(slipped);
    ++lengths[slipped.size()];
  }
  ASSERT_EQ(lengths.size(), 3U);  // one letter fewer, the same number, one more
  EXPECT_GT(lengths[4], 20);
  EXPECT_GT(lengths[6], 20);
}

TEST(LineChanges, LeaveShortWordsNumbersAndMarks) {
  for (const char* line : {"a cat, 123456 !!!!!", "", "我 是"}) {
    Random random(1);
    EXPECT_EQ(with_typos(line, random), line);
  }
}

TEST(LineChanges, SlipInATenthOfTheWords) {
  std::string line;
  for (int i = 0; i < 5000; ++i) line += "abcdefgh ";
  Random random(3);
  const std::string slipped = with_typos(line, random);
  int slips = 0;
  for (const utf8::Span& word : utf8::word_spans(slipped))
    slips += slipped.substr(word.begin, word.end - word.begin) != "abcdefgh" ? 1 : 0;
  EXPECT_NEAR(slips, 0.1 * 5000 * (1 - 0.25 / 8), 60);  // a letter may replace itself
}

TEST(LineChanges, DependOnTheGeneratorAlone) {
  Random one(5), same(5), other(6);
  const std::string line = "several words that are long enough for slips of a typist";
  EXPECT_EQ(with_typos(line, one), with_typos(line, same));
  EXPECT_NE(with_typos(line, other), with_typos(line, same));
}

}  // namespace
}  // namespace attend::text
