#include "metrics/weight_tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace attend::metrics {
namespace {

/// A metric whose score is the sum of the statistics.
class Points final : public Scorer {
 public:
  [[nodiscard]] std::string name() const override { return "points"; }
  [[nodiscard]] std::size_t statistics_size() const override { return 1; }
  [[nodiscard]] Score score(std::span<const double> statistics) const override {
    return {statistics[0], ""};
  }
  [[nodiscard]] std::string options() const override { return ""; }
};

// With weights (1, t) the sums of the first list are 0, t - 1 and 3 t - 6: its candidates are best
// below 1, from 1 to 2.5 and above. Those of the second list are 0 and t - 2, which cross at 2. The
// scores are 0 + 1 below 1, 5 + 1 from 1 to 2, 5 + 4 from 2 to 2.5, and 2 + 4 above.
CandidateLists two_lists() {
  return {{{{0, 0}, {0}}, {{-1, 1}, {5}}, {{-6, 3}, {2}}}, {{{0, 0}, {1}}, {{-2, 1}, {4}}}};
}

TEST(BestCandidate, HasTheHighestWeightedSumAndIsTheFirstOfEquals) {
  const auto lists = two_lists();
  EXPECT_EQ(best_candidate(lists[0], std::vector<double>{1, 0}), 0U);
  EXPECT_EQ(best_candidate(lists[0], std::vector<double>{1, 2}), 1U);
  EXPECT_EQ(best_candidate(lists[0], std::vector<double>{1, 3}), 2U);
  EXPECT_EQ(best_candidate(lists[0], std::vector<double>{1, 1}), 0U);  // 0 and 1 - 1
}

TEST(BestStep, IsBetweenTheCrossingsWhereTheCorpusScoreIsHighest) {
  const LinePoint best =
      best_step(Points(), two_lists(), std::vector<double>{1, 0}, std::vector<double>{0, 1});
  EXPECT_DOUBLE_EQ(best.score, 9.0);
  EXPECT_DOUBLE_EQ(best.step, 2.25);
}

TEST(BestStep, SearchesBelowZeroToo) {
  // The same line in the other direction: (1, 4.5) + 2.25 * (0, -1) is (1, 2.25).
  const LinePoint best =
      best_step(Points(), two_lists(), std::vector<double>{1, 0}, std::vector<double>{0, -1});
  EXPECT_DOUBLE_EQ(best.step, -2.25);
}

TEST(BestStep, IsZeroIfNothingChanges) {
  const CandidateLists lists = {{{{1, 7}, {3}}, {{0, 7}, {9}}}};
  const LinePoint best =
      best_step(Points(), lists, std::vector<double>{1, 0}, std::vector<double>{0, 1});
  EXPECT_DOUBLE_EQ(best.step, 0.0);
  EXPECT_DOUBLE_EQ(best.score, 3.0);
}

/// Lists with integer features and unrelated scores.
CandidateLists random_lists(Random& random) {
  CandidateLists lists(6);
  for (auto& candidates : lists) {
    for (int i = 0; i < 5; ++i) {
      const auto digit = [&] { return static_cast<double>(random.below(10)); };
      candidates.push_back({{digit(), digit(), digit()}, {digit()}});
    }
  }
  return lists;
}

TEST(BestStep, EqualsASearchOverManySteps) {
  Random random(5);
  const std::vector<double> weights = {1, 0.3, -0.2};
  const std::vector<double> direction = {0.1, -1, 0.7};
  for (int round = 0; round < 20; ++round) {
    const CandidateLists lists = random_lists(random);
    double highest = 0.0;
    for (int i = -20000; i <= 20000; ++i) {
      std::vector<double> moved = weights;
      for (std::size_t f = 0; f < moved.size(); ++f) moved[f] += i * 1e-3 * direction[f];
      highest = std::max(highest, score_of_choice(Points(), lists, moved));
    }
    const LinePoint best = best_step(Points(), lists, weights, direction);
    std::vector<double> moved = weights;
    for (std::size_t f = 0; f < moved.size(); ++f) moved[f] += best.step * direction[f];
    EXPECT_EQ(score_of_choice(Points(), lists, moved), best.score) << round;
    EXPECT_GE(best.score, highest) << round;
  }
}

// The first feature is noise; the second marks the right candidate.
TEST(TuneWeights, RecoversTheInformativeFeature) {
  CandidateLists lists;
  for (int i = 0; i < 12; ++i) {
    const double noise = i % 3 - 1;
    lists.push_back({{{noise, -7}, {0}}, {{-noise, -4}, {1}}, {{0.5, -9}, {0}}});
  }
  const TunedWeights tuned = tune_weights(Points(), lists, {1, 0});
  EXPECT_EQ(tuned.score, 12.0);
  EXPECT_GT(tuned.weights[1], std::abs(tuned.weights[0]));
  EXPECT_NEAR(std::abs(tuned.weights[0]) + std::abs(tuned.weights[1]), 1.0, 1e-12);
}

TEST(TuneWeights, IsNeverWorseThanItsStartAndTheSameEachTime) {
  Random random(6);
  for (int round = 0; round < 5; ++round) {
    const CandidateLists lists = random_lists(random);
    const std::vector<double> start = {1, 0, 0};
    const TunedWeights tuned = tune_weights(Points(), lists, start);
    EXPECT_GE(tuned.score, score_of_choice(Points(), lists, start));
    EXPECT_EQ(tuned.score, score_of_choice(Points(), lists, tuned.weights));
    EXPECT_EQ(tune_weights(Points(), lists, start).weights, tuned.weights);
  }
}

}  // namespace
}  // namespace attend::metrics
