#include "metrics/resampling.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

namespace attend::metrics {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;

// Scores the mean of one number per segment.
class Mean final : public Scorer {
 public:
  std::string name() const override { return "mean"; }
  std::size_t statistics_size() const override { return 2; }
  Score score(std::span<const double> statistics) const override {
    return {statistics[1] > 0 ? statistics[0] / statistics[1] : 0.0, ""};
  }
  std::string options() const override { return ""; }
};

CorpusStatistics corpus(const std::vector<double>& values) {
  CorpusStatistics statistics(values.size(), 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    statistics.row(i)[0] = values[i];
    statistics.row(i)[1] = 1.0;
  }
  return statistics;
}

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

// 80 scores 0 .. 79 in any order: 80 / 40 = 2 are cut off at each end, leaving 2 to 77.
TEST(ConfidenceInterval, CutsAFortiethOffAtEachEnd) {
  auto scores = numbers(80);
  std::swap(scores[0], scores[50]);
  const Interval interval = confidence_interval(scores);
  EXPECT_DOUBLE_EQ(interval.mean, 39.5);
  EXPECT_DOUBLE_EQ(interval.half_width, 37.5);
}

TEST(ConfidenceInterval, OfOneScoreIsThatScore) {
  const Interval interval = confidence_interval({3.0});
  EXPECT_EQ(interval.mean, 3.0);
  EXPECT_EQ(interval.half_width, 0.0);
}

// A mean of 100 draws from 0 .. 99: standard error sqrt((100^2 - 1) / 12 / 100) = 2.887, so the
// interval reaches 1.96 * 2.887 = 5.66 to each side. With 4000 samples both are known to a few
// hundredths, far within the bounds here.
TEST(BootstrapScores, HaveTheSpreadOfTheStandardError) {
  const std::vector<CorpusStatistics> systems{corpus(numbers(100))};
  const auto scores = bootstrap_scores(Mean(), systems, {.number = 4000, .seed = 5});
  const Interval interval = confidence_interval(scores[0]);
  EXPECT_NEAR(interval.mean, 49.5, 0.3);
  EXPECT_NEAR(interval.half_width, 5.66, 0.4);
}

// One system scores 1000 more than the other in every sample.
TEST(BootstrapScores, UseTheSameSamplesForAllSystems) {
  auto shifted = numbers(20);
  for (double& value : shifted) value += 1000.0;
  const std::vector<CorpusStatistics> systems{corpus(numbers(20)), corpus(shifted)};
  const auto scores = bootstrap_scores(Mean(), systems, {.number = 50, .seed = 1});
  ASSERT_THAT(scores, ElementsAre(SizeIs(50), SizeIs(50)));
  for (std::size_t t = 0; t < 50; ++t) EXPECT_NEAR(scores[1][t] - scores[0][t], 1000.0, 1e-9);
  EXPECT_THAT(scores[0], Not(Each(scores[0][0])));
}

TEST(BootstrapScores, DependOnTheSeedAlone) {
  const std::vector<CorpusStatistics> systems{corpus(numbers(30))};
  const auto scores = [&](uint64_t seed) {
    return bootstrap_scores(Mean(), systems, {.number = 10, .seed = seed})[0];
  };
  EXPECT_EQ(scores(7), scores(7));
  EXPECT_NE(scores(7), scores(8));
}

TEST(BootstrapScores, OfNoSegmentsAreScoresOfZeroStatistics) {
  const std::vector<CorpusStatistics> systems{corpus({})};
  EXPECT_THAT(bootstrap_scores(Mean(), systems, {.number = 2, .seed = 1})[0],
              ElementsAre(0.0, 0.0));
}

}  // namespace
}  // namespace attend::metrics
