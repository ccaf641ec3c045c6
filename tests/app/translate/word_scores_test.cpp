#include "app/translate/word_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace attend::app {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// "ein Hund." from the pieces "▁ein", "▁Hu", "nd", "." with these probabilities, the end last.
Translation translation_with(std::vector<double> probabilities) {
  Translation translation;
  translation.line.text = "ein Hund.";
  translation.line.pieces = {"▁ein", "▁Hu", "nd", "."};
  translation.line.ids = {4, 5, 6, 7};
  translation.line.spans = {{0, 3}, {3, 6}, {6, 8}, {8, 9}};
  for (const double p : probabilities) translation.token_log_probs.push_back(std::log(p));
  return translation;
}

TEST(WordScores, AreProductsOverThePiecesOfAWord) {
  const WordScores scores = word_scores(translation_with({0.5, 0.8, 0.5, 0.25, 0.9}));
  EXPECT_THAT(scores.words, ElementsAre("ein", "Hund."));
  EXPECT_THAT(scores.probabilities, ElementsAre(DoubleNear(0.5, 1e-12), DoubleNear(0.1, 1e-12)));
  EXPECT_NEAR(scores.end, 0.9, 1e-12);
  EXPECT_NEAR(scores.confidence, std::pow(0.5 * 0.8 * 0.5 * 0.25 * 0.9, 0.2), 1e-12);
}

TEST(WordScores, AreInReadingOrderForAModelThatWritesFromTheEnd) {
  Translation translation = translation_with({0.25, 0.5, 0.8, 0.5, 0.9});
  translation.line.order = text::PieceOrder::kReversed;
  std::reverse(translation.line.spans.begin(), translation.line.spans.end());
  const WordScores scores = word_scores(translation);
  EXPECT_THAT(scores.words, ElementsAre("ein", "Hund."));
  EXPECT_THAT(scores.probabilities, ElementsAre(DoubleNear(0.5, 1e-12), DoubleNear(0.1, 1e-12)));
  EXPECT_NEAR(scores.end, 0.9, 1e-12);
}

TEST(WordScores, AreEmptyForALineThatWasNotTranslated) {
  const WordScores scores = word_scores({});
  EXPECT_TRUE(scores.words.empty());
  EXPECT_EQ(scores.confidence, 1.0);
}

TEST(WordScores, HaveAnEndButNoWordsForAnEmptyOutput) {
  Translation translation;
  translation.token_log_probs = {std::log(0.4)};
  const WordScores scores = word_scores(translation);
  EXPECT_TRUE(scores.words.empty());
  EXPECT_NEAR(scores.end, 0.4, 1e-12);
  EXPECT_NEAR(scores.confidence, 0.4, 1e-12);
}

TEST(WordScores, AreALineOfJson) {
  const WordScores scores = word_scores(translation_with({0.5, 0.8, 0.5, 0.25, 0.9}));
  EXPECT_EQ(word_scores_json(2, 1, scores, std::nullopt),
            R"({"id":2,"rank":1,"confidence":0.5378,"words":["ein","Hund."],)"
            R"("probabilities":[0.5,0.1],"end":0.9})");
  EXPECT_EQ(word_scores_json(0, 0, scores, 0.55),
            R"({"id":0,"rank":0,"confidence":0.5378,"words":["ein","Hund."],)"
            R"("probabilities":[0.5,0.1],"end":0.9,"review":true})");
  EXPECT_EQ(word_scores_json(0, 0, scores, 0.53).find("review"), std::string::npos);
}

}  // namespace
}  // namespace attend::app
