#include "metrics/faithfulness/sentence_means.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"

namespace attend::metrics {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

SentenceMeans means_of(const std::vector<std::vector<double>>& sentences) {
  SentenceMeans means(1);
  for (const auto& sentence : sentences) {
    means.begin_sentence();
    for (const double value : sentence) means.add(0, value);
  }
  return means;
}

// (1 + 0 + 1 + 0) / 4, not the mean (1 + 1/3) / 2 of the sentences' means.
TEST(SentenceMeans, AreMeansOverTokens) {
  const auto mean = means_of({{1}, {0, 1, 0}}).means({10, 1}).front();
  EXPECT_EQ(mean.value, 0.5);
  EXPECT_EQ(mean.count, 4);
}

TEST(SentenceMeans, LeaveUndefinedValuesOut) {
  const auto mean = means_of({{1, kUndefined}, {kUndefined}}).means({10, 1}).front();
  EXPECT_EQ(mean.value, 1.0);
  EXPECT_EQ(mean.count, 1);
  EXPECT_EQ(mean.half_width, 0.0);
}

TEST(SentenceMeans, AreUndefinedWithoutValues) {
  const auto mean = means_of({{kUndefined}}).means({10, 1}).front();
  EXPECT_TRUE(std::isnan(mean.value));
  EXPECT_EQ(mean.count, 0);
  EXPECT_TRUE(std::isnan(SentenceMeans(1).means({10, 1}).front().value));
}

/// The interval from the same draws, with all tokens of each sample in one list.
double half_width_by_lists(const std::vector<std::vector<double>>& sentences,
                           const Trials& trials) {
  Random random = stream(trials.seed, "bootstrap");
  std::vector<double> scores;
  for (std::size_t t = 0; t < trials.number; ++t) {
    std::vector<double> tokens;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto& drawn = sentences[random.below(sentences.size())];
      tokens.insert(tokens.end(), drawn.begin(), drawn.end());
    }
    double sum = 0.0;
    for (const double token : tokens) sum += token;
    scores.push_back(sum / static_cast<double>(tokens.size()));
  }
  std::sort(scores.begin(), scores.end());
  const std::size_t cut = trials.number / 40;
  return (scores[trials.number - 1 - cut] - scores[cut]) / 2;
}

TEST(SentenceMeans, HaveTheIntervalsOfSamplesOfSentences) {
  Random random(2);
  std::vector<std::vector<double>> sentences(30);
  for (auto& sentence : sentences) {
    sentence.resize(1 + random.below(9));
    for (double& value : sentence) value = random.uniform();
  }
  const Trials trials{200, 4};
  const auto mean = means_of(sentences).means(trials).front();
  EXPECT_NEAR(mean.half_width, half_width_by_lists(sentences, trials), 1e-12);
  EXPECT_GT(mean.half_width, 0.01);
}

}  // namespace
}  // namespace attend::metrics
