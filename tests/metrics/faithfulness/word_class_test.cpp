#include "metrics/faithfulness/word_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BareWord, IsInLowerCaseWithoutPunctuationAround) {
  EXPECT_EQ(bare_word("„Über“,"), "über");
  EXPECT_EQ(bare_word("don't"), "don't");
  EXPECT_EQ(bare_word("▁Hund"), "hund");
  EXPECT_EQ(bare_word("..."), "");
  EXPECT_EQ(bare_word(""), "");
}

TEST(FunctionWords, IncludePunctuation) {
  const FunctionWords words({"der", "Ein"});
  EXPECT_EQ(words.class_of("Der"), WordClass::function);
  EXPECT_EQ(words.class_of("ein,"), WordClass::function);
  EXPECT_EQ(words.class_of("Hund."), WordClass::content);
  EXPECT_EQ(words.class_of("."), WordClass::function);
  EXPECT_EQ(words.class_of("7"), WordClass::content);
}

TEST(FunctionWords, HaveListsOfArticlesPronounsAndVerbs) {
  EXPECT_THAT(function_word_languages(), ElementsAre("de", "en", "es", "fr"));
  const FunctionWords german(function_words_of("de")), english(function_words_of("en")),
      spanish(function_words_of("es")), french(function_words_of("fr"));
  for (const char* word : {"der", "einem", "sich", "über", "wird", "nicht", "und"})
    EXPECT_EQ(german.class_of(word), WordClass::function) << word;
  for (const char* word : {"Hund", "läuft", "Frau", "zwei", "rot"})
    EXPECT_EQ(german.class_of(word), WordClass::content) << word;
  EXPECT_EQ(english.class_of("They"), WordClass::function);
  EXPECT_EQ(english.class_of("dog"), WordClass::content);
  EXPECT_EQ(spanish.class_of("qué"), WordClass::function);
  EXPECT_EQ(spanish.class_of("perro"), WordClass::content);
  EXPECT_EQ(french.class_of("c'est"), WordClass::function);
  EXPECT_EQ(french.class_of("chien"), WordClass::content);
  EXPECT_THAT(function_words_of("xx"), IsEmpty());
}

TEST(WordCounts, FindTheMostFrequentWords) {
  WordCounts counts;
  counts.add("The cat sees the dog .");
  counts.add("the dog sees a bird");
  EXPECT_THAT(counts.most_frequent(3), ElementsAre("the", "dog", "sees"));
  EXPECT_THAT(counts.most_frequent(100), ElementsAre("the", "dog", "sees", "a", "bird", "cat"));
}

}  // namespace
}  // namespace attend::metrics
