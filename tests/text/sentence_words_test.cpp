#include "text/sentence_words.h"

#include <gtest/gtest.h>

namespace attend::text {
namespace {

TEST(SentenceWords, KnowAbbreviationsOfTheirLanguageOnly) {
  const SentenceWords german("de");
  EXPECT_EQ(german.period_after("z.B"), PeriodAfter::kAbbreviation);
  EXPECT_EQ(german.period_after("usw"), PeriodAfter::kMayEnd);
  EXPECT_EQ(german.period_after("Nr"), PeriodAfter::kNumbering);
  EXPECT_EQ(german.period_after("Mrs"), PeriodAfter::kWord);
  EXPECT_EQ(SentenceWords("en").period_after("Mrs"), PeriodAfter::kAbbreviation);
}

TEST(SentenceWords, AcceptACapitalAtTheBeginning) {
  const SentenceWords words("nl");
  EXPECT_EQ(words.period_after("dhr"), PeriodAfter::kAbbreviation);
  EXPECT_EQ(words.period_after("Dhr"), PeriodAfter::kAbbreviation);
  EXPECT_EQ(words.period_after("DHR"), PeriodAfter::kWord);
}

TEST(SentenceWords, TakeLettersBetweenPeriodsForAnAbbreviation) {
  const SentenceWords words("en");
  EXPECT_EQ(words.period_after("U.S"), PeriodAfter::kMayEnd);
  EXPECT_EQ(words.period_after("т.п"), PeriodAfter::kMayEnd);
  EXPECT_EQ(words.period_after("U.S.A"), PeriodAfter::kMayEnd);
  EXPECT_EQ(words.period_after("end.A"), PeriodAfter::kWord);
}

TEST(SentenceWords, LookAtTheLastPartOfACompound) {
  EXPECT_EQ(SentenceWords("de").period_after("Mozart-Str"), PeriodAfter::kNumbering);
}

// "es." abbreviates "esempio" in Italian, but ends German sentences ("Das ist es.").
TEST(SentenceWords, LeaveOutWordsOfOtherLanguagesIfTheLanguageIsUnknown) {
  EXPECT_EQ(SentenceWords("it").period_after("es"), PeriodAfter::kAbbreviation);
  for (const char* unknown : {"", "eo", "any"}) {
    const SentenceWords all(unknown);
    EXPECT_EQ(all.period_after("es"), PeriodAfter::kWord);
    EXPECT_EQ(all.period_after("z.B"), PeriodAfter::kAbbreviation);
    EXPECT_EQ(all.period_after("Mrs"), PeriodAfter::kAbbreviation);
    EXPECT_TRUE(all.often_begins("Der"));
    EXPECT_TRUE(all.often_begins("The"));
    EXPECT_TRUE(all.has_ordinals());
  }
}

TEST(SentenceWords, KnowWhetherPeriodsMakeOrdinals) {
  EXPECT_TRUE(SentenceWords("de").has_ordinals());
  EXPECT_FALSE(SentenceWords("en").has_ordinals());
}

}  // namespace
}  // namespace attend::text
