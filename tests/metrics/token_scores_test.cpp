#include "metrics/token_scores.h"

#include <gmock/gmock.h>

#include <cmath>

namespace attend::metrics {
namespace {

using ::testing::StartsWith;

// 6 nats over 4 tokens, of which 3 are right.
const Statistics& statistics() {
  static const Statistics values =
      TokenStatistics{.log_prob = -6.0, .tokens = 4.0, .right = 3.0}.values();
  return values;
}

TEST(TokenScorer, AveragesTheLossOverTokens) {
  const TokenScorer loss(TokenMeasure::kLoss, "piece");
  EXPECT_DOUBLE_EQ(loss.score(statistics()).value, 1.5);
  EXPECT_EQ(loss.score(statistics()).details, "(4 pieces)");
}

TEST(TokenScorer, HasThePerplexityOfThatLoss) {
  const TokenScorer perplexity(TokenMeasure::kPerplexity, "piece");
  EXPECT_DOUBLE_EQ(perplexity.score(statistics()).value, std::exp(1.5));
}

TEST(TokenScorer, HasThePercentageOfRightTokens) {
  const TokenScorer accuracy(TokenMeasure::kAccuracy, "piece");
  EXPECT_DOUBLE_EQ(accuracy.score(statistics()).value, 75.0);
  EXPECT_EQ(accuracy.score(statistics()).details, "(3 of 4 pieces)");
  EXPECT_THAT(accuracy.signature(2), StartsWith("nrefs:2|unit:piece|version:"));
}

TEST(TokenScorer, IsZeroWithoutTokens) {
  for (const auto measure :
       {TokenMeasure::kLoss, TokenMeasure::kPerplexity, TokenMeasure::kAccuracy}) {
    EXPECT_EQ(TokenScorer(measure, "piece").score(TokenStatistics{}.values()).value, 0.0);
  }
}

}  // namespace
}  // namespace attend::metrics
