#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace attend::metrics {
namespace {

using TextList = std::vector<std::string>;

TextList some_texts() {
  return {"The cat is on the mat.",          "the the the the the",      "",
          "Das ist größer, als ich dachte!", "The cat sat on the mat .", "a",
          "The cat is on the mat."};
}

/// The scores of all pairs, computed one pair at a time.
std::vector<double> one_by_one(const Metric& metric, const TextList& texts) {
  std::vector<double> scores;
  for (const std::string& hypothesis : texts) {
    for (const std::string_view reference : texts) {
      scores.push_back(
          metric.score(metric.segment_statistics(hypothesis, std::span(&reference, 1))).value);
    }
  }
  return scores;
}

void expect_same_as_one_by_one(const Metric& metric) {
  const TextList texts = some_texts();
  EXPECT_THAT(metric.pairwise_scores(texts), testing::ContainerEq(one_by_one(metric, texts)));
}

TEST(PairwiseScores, EqualSeparateScoresForChrf) {
  expect_same_as_one_by_one(Chrf({}));
  expect_same_as_one_by_one(Chrf({.lowercase = true, .word_order = 2, .beta = 3}));
  expect_same_as_one_by_one(Chrf({.char_order = 0, .word_order = 1, .whitespace = true}));
}

TEST(PairwiseScores, EqualSeparateScoresForBleu) {
  expect_same_as_one_by_one(Bleu({}));
  expect_same_as_one_by_one(Bleu({.lowercase = true, .effective_order = true}));
  expect_same_as_one_by_one(Bleu({.tokenizer = "char", .smoothing = Smoothing::kAddK}));
}

// By hand, with characters of order 1 only. "ab" against "aab": P = 2/2, R = 2/3, F2 = 5 P R / (4 P
// + R) = (10/3) / (14/3) = 5/7. "aab" against "ab": P = 2/3, R = 1, F2 = (10/3) / (11/3) = 10/11.
TEST(PairwiseScores, HaveHypothesesInRowsAndReferencesInColumns) {
  const auto scores = Chrf({.char_order = 1}).pairwise_scores(TextList{"ab", "aab"});
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_NEAR(scores[0], 100.0, 1e-12);
  EXPECT_NEAR(scores[1], 500.0 / 7, 1e-12);
  EXPECT_NEAR(scores[2], 1000.0 / 11, 1e-12);
  EXPECT_NEAR(scores[3], 100.0, 1e-12);
}

TEST(PairwiseScores, ExistForEveryMetric) {
  const std::vector<double> scores = Ter({}).pairwise_scores(TextList{"a b", "a c"});
  EXPECT_THAT(scores, testing::ElementsAre(0.0, 50.0, 50.0, 0.0));
}

TEST(PairwiseScores, OfNoTextAreNone) {
  EXPECT_TRUE(Chrf({}).pairwise_scores(TextList{}).empty());
  EXPECT_TRUE(Bleu({}).pairwise_scores(TextList{}).empty());
}

}  // namespace
}  // namespace attend::metrics
