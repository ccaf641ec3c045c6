#include "text/clauses.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

#include "text/characters.h"

namespace attend::text {
namespace {

using ::testing::ElementsAre;

struct Cut {
  std::vector<std::string> parts;
  CutAt cut_at;
};

/// Cuts a whole text into parts of at most `most` characters.
Cut cut(const std::string& text, std::size_t most) {
  const auto fits = [&](std::string_view part) { return utf8::length(part) <= most; };
  const SentenceParts cut = cut_sentence(text, {0, text.size()}, fits);
  Cut result{.parts = {}, .cut_at = cut.cut_at};
  for (const auto& part : cut.parts)
    result.parts.push_back(text.substr(part.begin, part.end - part.begin));
  return result;
}

TEST(CutSentence, KeepsWhatFits) {
  const Cut whole = cut("one, two", 8);
  EXPECT_THAT(whole.parts, ElementsAre("one, two"));
  EXPECT_EQ(whole.cut_at, CutAt::kNowhere);
}

TEST(CutSentence, CutsAfterTheLastClauseMarkThatFits) {
  const Cut cuts = cut("one, two; three: four – five", 11);
  EXPECT_THAT(cuts.parts, ElementsAre("one, two;", "three:", "four – five"));
  EXPECT_EQ(cuts.cut_at, CutAt::kClauses);
}

TEST(CutSentence, TakesClosingQuotesWithAMark) {
  EXPECT_THAT(cut("\"one,\" two", 7).parts, ElementsAre("\"one,\"", "two"));
}

TEST(CutSentence, LeavesNumbersTimesAndCompoundsWhole) {
  EXPECT_THAT(cut("3,5 um 10:30 so-so ja", 13).parts, ElementsAre("3,5 um 10:30", "so-so ja"));
}

TEST(CutSentence, CutsBetweenWordsWithoutClauseMarks) {
  const Cut cuts = cut("one two three, four", 8);
  EXPECT_THAT(cuts.parts, ElementsAre("one two", "three,", "four"));
  EXPECT_EQ(cuts.cut_at, CutAt::kWords);
}

TEST(CutSentence, CutsChineseAtItsMarksAndBetweenWords) {
  EXPECT_THAT(cut("天气很好，我们去公园", 6).parts, ElementsAre("天气很好，", "我们去公园"));
  // ICU's dictionary: 我们 | 去 | 公园
  const Cut words = cut("我们去公园", 4);
  EXPECT_THAT(words.parts, ElementsAre("我们去", "公园"));
  EXPECT_EQ(words.cut_at, CutAt::kWords);
}

// ICU's dictionary: สุนัข (dog) | กำลัง | นอน (sleep)
TEST(CutSentence, CutsThaiBetweenWords) {
  EXPECT_THAT(cut("สุนัขกำลังนอน", 10).parts, ElementsAre("สุนัขกำลัง", "นอน"));
}

TEST(CutSentence, CutsInsideWordsBetweenWholeCharacters) {
  const Cut cuts = cut("abcdé\u0301f g", 5);
  EXPECT_THAT(cuts.parts, ElementsAre("abcd", "é\u0301f g"));
  EXPECT_EQ(cuts.cut_at, CutAt::kCharacters);
}

TEST(CutSentence, GivesACharacterThatDoesNotFitAPartOfItsOwn) {
  EXPECT_THAT(cut("ab", 0).parts, ElementsAre("a", "b"));
}

TEST(CutSentence, DoesNoWorkForPartsThatAreNotNeeded) {
  int calls = 0;
  const auto fits = [&](std::string_view part) { return ++calls, part.size() <= 10; };
  const std::string text(10'000, 'a');
  EXPECT_THAT(cut_sentence(text, {0, text.size()}, fits, 3).parts,
              ElementsAre(utf8::Span{0, 10}, utf8::Span{10, 20}, utf8::Span{20, 30}));
  EXPECT_LT(calls, 100);
}

TEST(CutSentence, CutsTheSentenceOnly) {
  const std::string text = "One. two, three. Four";
  const auto fits = [](std::string_view part) { return part.size() <= 6; };
  const SentenceParts cut = cut_sentence(text, {5, 16}, fits);
  EXPECT_THAT(cut.parts, ElementsAre(utf8::Span{5, 9}, utf8::Span{10, 16}));
}

TEST(CutSentence, KeepsEveryCharacterOfRandomTextInPartsThatFit) {
  static const std::vector<std::string> kParts = {
      ",", ", ", " ", ": ", "a", "bc", "，", "我们", "é", "\u00A0", " – ", "3,5", "\"", "ไทย"};
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string text = "x";
    for (auto parts = random() % 40; parts > 0; --parts) text += kParts[random() % kParts.size()];
    text += "y";
    const std::size_t most = 4 + random() % 12;
    const auto fits = [&](std::string_view part) { return utf8::length(part) <= most; };
    std::size_t end = 0;
    for (const auto& part : cut_sentence(text, {0, text.size()}, fits).parts) {
      ASSERT_EQ(trimmed(text, {end, part.begin}).begin, part.begin) << text;
      ASSERT_TRUE(fits(std::string_view(text).substr(part.begin, part.end - part.begin))) << text;
      ASSERT_LT(part.begin, part.end) << text;
      end = part.end;
    }
    ASSERT_EQ(end, text.size()) << text;
  }
}

}  // namespace
}  // namespace attend::text
