#include "decode/scoring/token_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace attend::decode {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

torch::Tensor log_of(const std::vector<double>& probabilities) {
  return torch::tensor(probabilities, torch::kDouble).log().to(torch::kFloat).unsqueeze(0);
}

/// The share of each token among many draws.
std::map<text::TokenId, double> shares(const std::vector<double>& probabilities,
                                       const SamplingOptions& options) {
  constexpr int64_t kDraws = 40000;
  Random random(7);
  const std::vector<Draws> draws{{kDraws, &random}};
  const auto drawn = draw(log_of(probabilities), draws, options);
  std::map<text::TokenId, double> result;
  for (const auto token : drawn.tokens) result[token] += 1.0 / static_cast<double>(kDraws);
  return result;
}

constexpr double kTolerance = 0.01;  // four standard deviations of a share of 0.5 in 40,000 draws

TEST(Draw, FollowsTheDistribution) {
  EXPECT_THAT(shares({0.1, 0.2, 0.0, 0.7}, {}),
              UnorderedElementsAre(Pair(0, DoubleNear(0.1, kTolerance)),
                                   Pair(1, DoubleNear(0.2, kTolerance)),
                                   Pair(3, DoubleNear(0.7, kTolerance))));
}

TEST(Draw, SharpensBelowATemperatureOfOne) {
  SamplingOptions options;
  options.temperature = 0.5;

  // Squares: 0.04 : 0.16 : 0.16, so 1/9, 4/9, 4/9.
  EXPECT_THAT(shares({0.2, 0.4, 0.4}, options),
              UnorderedElementsAre(Pair(0, DoubleNear(1. / 9, kTolerance)),
                                   Pair(1, DoubleNear(4. / 9, kTolerance)),
                                   Pair(2, DoubleNear(4. / 9, kTolerance))));
}

TEST(Draw, KeepsTheKMostProbable) {
  SamplingOptions options;
  options.top_k = 2;

  EXPECT_THAT(shares({0.1, 0.3, 0.1, 0.5}, options),
              UnorderedElementsAre(Pair(1, DoubleNear(0.375, kTolerance)),
                                   Pair(3, DoubleNear(0.625, kTolerance))));
}

TEST(Draw, KeepsTheFewestThatHoldTheShare) {
  SamplingOptions options;
  options.top_p = 0.6;

  // 0.5 alone is not enough; 0.5 + 0.3 is.
  EXPECT_THAT(shares({0.1, 0.3, 0.1, 0.5}, options),
              UnorderedElementsAre(Pair(1, DoubleNear(0.375, kTolerance)),
                                   Pair(3, DoubleNear(0.625, kTolerance))));
}

TEST(Draw, KeepsTheMostProbableWhateverTheShare) {
  SamplingOptions options;
  options.top_p = 1e-9;

  EXPECT_THAT(shares({0.1, 0.3, 0.6}, options),
              UnorderedElementsAre(Pair(2, DoubleNear(1.0, 1e-9))));
}

/// 200 logits make several blocks, the last one partial. Nothing in the second block can be drawn.
std::vector<float> uneven_row() {
  std::vector<float> row(200);
  for (std::size_t v = 0; v < row.size(); ++v) {
    const auto spread = static_cast<float>((v * 37) % 200) / 25.F;
    row[v] = v / 64 == 1 ? -std::numeric_limits<float>::infinity() : spread;
  }
  return row;
}

using Choices = std::vector<std::pair<text::TokenId, double>>;

/// The inverse of the cumulative distribution, in double, with tokens in order.
text::TokenId reached(const Choices& choices, double uniform) {
  double total = 0.0;
  for (const auto& [token, weight] : choices) total += weight;
  double sum = 0.0;
  for (const auto& [token, weight] : choices) {
    sum += weight;
    if (uniform * total < sum) return token;
  }
  return choices.back().first;
}

Choices softmax_choices(const std::vector<float>& row, double temperature) {
  Choices choices;
  for (std::size_t v = 0; v < row.size(); ++v)
    choices.emplace_back(static_cast<text::TokenId>(v), std::exp(row[v] / temperature));
  return choices;
}

Choices most_probable_first(Choices choices) {
  std::stable_sort(choices.begin(), choices.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return choices;
}

/// Compares draws from the uneven row with the expected choices for the same numbers.
void expect_draws(const SamplingOptions& options, const Choices& choices) {
  constexpr int64_t kDraws = 2000;
  Random random(11);
  Random same(11);
  const std::vector<Draws> draws{{kDraws, &random}};

  const auto row = uneven_row();
  const auto drawn = draw(torch::tensor(row).unsqueeze(0), draws, options);

  for (std::size_t i = 0; i < drawn.tokens.size(); ++i) {
    ASSERT_EQ(drawn.tokens[i], reached(choices, same.uniform())) << "draw " << i;
    ASSERT_EQ(drawn.log_probs[i], row[static_cast<std::size_t>(drawn.tokens[i])]);
  }
}

TEST(Draw, InvertsTheCumulativeDistributionOfManyTokens) {
  expect_draws({}, softmax_choices(uneven_row(), 1.0));
}

TEST(Draw, DividesByTheTemperature) {
  SamplingOptions options;
  options.temperature = 2.5;

  expect_draws(options, softmax_choices(uneven_row(), 2.5));
}

TEST(Draw, CutsToTheShareOfManyTokens) {
  SamplingOptions options;
  options.top_p = 0.4;
  auto choices = most_probable_first(softmax_choices(uneven_row(), 1.0));
  double total = 0.0;
  for (const auto& choice : choices) total += choice.second;
  double sum = 0.0;
  std::size_t kept = 0;
  while (sum < 0.4 * total) sum += choices[kept++].second;
  choices.resize(kept);

  expect_draws(options, choices);
}

/// A top_k that a scan can select, and a larger one.
TEST(Draw, CutsToTheMostProbableOfManyTokens) {
  for (const int64_t top_k : {10, 100}) {
    SamplingOptions options;
    options.top_k = top_k;
    auto choices = most_probable_first(softmax_choices(uneven_row(), 1.0));
    choices.resize(static_cast<std::size_t>(top_k));

    expect_draws(options, choices);
  }
}

TEST(Draw, LeavesRowsWithoutDrawsAndWithoutTokens) {
  const auto never = -std::numeric_limits<float>::infinity();
  Random random(3);
  const std::vector<Draws> draws{{2, &random}, {0, nullptr}, {1, &random}};

  const auto drawn = draw(torch::tensor({{0.F, 1.F}, {2.F, 1.F}, {never, never}}), draws, {});

  EXPECT_EQ(drawn.width, 2);
  const std::vector<double> others(drawn.log_probs.begin() + 2, drawn.log_probs.end());
  EXPECT_THAT(others, Each(-std::numeric_limits<double>::infinity()));
  const std::vector<text::TokenId> tokens(drawn.tokens.begin() + 2, drawn.tokens.end());
  EXPECT_THAT(tokens, Each(text::kEos));
  EXPECT_THAT(drawn.best, ElementsAre(1, 0, ::testing::_));
}

}  // namespace
}  // namespace attend::decode
