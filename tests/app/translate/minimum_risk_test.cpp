#include "app/translate/minimum_risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace attend::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Translation candidate(const std::string& text, double log_prob = 0.0) {
  Translation translation;
  translation.line.text = text;
  translation.log_prob = log_prob;
  translation.score = log_prob;
  return translation;
}

std::vector<std::string> texts(const std::vector<Translation>& translations) {
  std::vector<std::string> result;
  for (const Translation& translation : translations) result.push_back(translation.line.text);
  return result;
}

// chrF2 of "a" against "b" is 0. For "ab" against "a", character precision is 1/2 and recall 1
// (order 2 has no counterpart in "a"), so F = 5 * 1/2 / (4/2 + 1) = 5/6. For "a" against "ab" it is
// 5 * 1/2 / (4 + 1/2) = 5/9.
TEST(MinimumRisk, RanksByTheMeanUtilityAgainstAllCandidates) {
  const auto ranked = MinimumRisk({.n_best = 3})
                          .rank({candidate("b", -1), candidate("a", -2), candidate("ab", -3)});
  EXPECT_THAT(texts(ranked), ElementsAre("ab", "b", "a"));  // ties keep their order
  EXPECT_NEAR(ranked[0].score, 100.0 / 3 * (5.0 / 6 + 5.0 / 6 + 1.0), 1e-9);
  EXPECT_NEAR(ranked[1].score, 100.0 / 3 * (1.0 + 0.0 + 5.0 / 9), 1e-9);
  EXPECT_NEAR(ranked[2].score, 100.0 / 3 * (0.0 + 1.0 + 5.0 / 9), 1e-9);
}

// "b" twice: E("b") = (2 + 0 + 5/9) / 4 = 0.639, E("ab") = (2 * 5/6 + 5/6 + 1) / 4 = 0.875.
TEST(MinimumRisk, MergesEqualTextsWithTheirWeights) {
  const auto ranked =
      MinimumRisk({.n_best = 9})
          .rank({candidate("b", -1), candidate("a"), candidate("b", -1), candidate("ab")});
  EXPECT_THAT(texts(ranked), ElementsAre("ab", "b", "a"));
  EXPECT_NEAR(ranked[0].score, 100.0 / 4 * (3 * 5.0 / 6 + 1.0), 1e-9);
  EXPECT_NEAR(ranked[1].score, 100.0 / 4 * (2.0 + 5.0 / 9), 1e-9);
  EXPECT_EQ(ranked[1].log_prob, -1) << "the other fields of a translation are kept";
}

// Probabilities give weights 3/4 and 1/4: E("a") = 3/4, E("b") = 1/4.
TEST(MinimumRisk, WeighsReferencesByTheModelOnRequest) {
  const std::vector<Translation> candidates = {candidate("b", std::log(0.1)),
                                               candidate("a", std::log(0.3))};
  EXPECT_THAT(candidate_weights("model", candidates),
              ElementsAre(testing::DoubleNear(0.25, 1e-12), testing::DoubleNear(0.75, 1e-12)));
  const auto ranked = MinimumRisk({.weights = "model", .n_best = 2}).rank(candidates);
  EXPECT_THAT(texts(ranked), ElementsAre("a", "b"));
  EXPECT_NEAR(ranked[0].score, 75.0, 1e-9);
  EXPECT_THAT(texts(MinimumRisk({.n_best = 2}).rank(candidates)), ElementsAre("b", "a"));
}

TEST(MinimumRisk, ComparesProbabilitiesThatUnderflow) {
  const auto weights = candidate_weights("model", {candidate("a", -2000), candidate("b", -2001)});
  EXPECT_NEAR(weights[0], 1.0 / (1.0 + std::exp(-1.0)), 1e-12);
}

// "a b c d" and "a b c e" share 3 of 4, 2 of 3, 1 of 2 and 0 of 1 n-grams; exponential smoothing
// replaces the 0 by 1/2: BLEU = (3/4 * 2/3 * 1/2 * 1/2)^(1/4) = 8^(-1/4).
TEST(MinimumRisk, SupportsSentenceBleu) {
  const auto ranked =
      MinimumRisk({.utility = "bleu"}).rank({candidate("a b c d"), candidate("a b c e")});
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_NEAR(ranked[0].score, 50.0 * (1.0 + std::pow(8.0, -0.25)), 1e-9);
}

TEST(MinimumRisk, OfOneCandidateIsThatOne) {
  const auto ranked = MinimumRisk({}).rank({candidate("", -4)});
  EXPECT_THAT(texts(ranked), ElementsAre(""));
}

TEST(MinimumRisk, NamesItsUtilities) {
  EXPECT_THAT([] { MinimumRisk({.utility = "chrg"}); },
              ThrowsMessage<UsageError>(
                  testing::AllOf(HasSubstr("did you mean \"chrf\""), HasSubstr("chrf, bleu"))));
}

}  // namespace
}  // namespace attend::app
