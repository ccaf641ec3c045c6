#include "metrics/significance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "core/error.h"
#include "core/signal.h"

namespace attend::metrics {
namespace {

constexpr Trials kTrials{.number = 2000, .seed = 11};

// Scores the mean of one number per segment.
class MeanOfRows final : public Scorer {
 public:
  std::string name() const override { return "mean"; }
  std::size_t statistics_size() const override { return 2; }
  Score score(std::span<const double> statistics) const override {
    return {statistics[0] / statistics[1], ""};
  }
  std::string options() const override { return ""; }
};

CorpusStatistics rows_of(const std::vector<double>& values) {
  CorpusStatistics statistics(values.size(), 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    statistics.row(i)[0] = values[i];
    statistics.row(i)[1] = 1.0;
  }
  return statistics;
}

// A system that is right (1) in the first `right` of `size` segments.
CorpusStatistics right_in(std::size_t right, std::size_t size) {
  std::vector<double> values(size, 0.0);
  std::fill_n(values.begin(), right, 1.0);
  return rows_of(values);
}

using Systems = std::vector<CorpusStatistics>;
using Test = std::vector<TestedScore> (*)(const Scorer&, std::span<const CorpusStatistics>,
                                          const Trials&);

class PairedTests : public ::testing::TestWithParam<Test> {};

TEST_P(PairedTests, FindsAClearDifference) {
  const Systems systems{right_in(20, 200), right_in(180, 200)};
  const auto tested = GetParam()(MeanOfRows(), systems, kTrials);
  EXPECT_DOUBLE_EQ(tested[1].score, 0.9);
  // No trial reaches the difference.
  EXPECT_DOUBLE_EQ(tested[1].p_value.value(), 1.0 / 2001);
}

TEST_P(PairedTests, NeverFindsASystemDifferentFromItself) {
  const Systems systems{right_in(70, 200), right_in(70, 200)};
  EXPECT_EQ(GetParam()(MeanOfRows(), systems, kTrials)[1].p_value, 1.0);
}

// Regression: Ctrl-C did not stop ten million trials.
TEST_P(PairedTests, EndAfterASignal) {
  const Systems systems{right_in(70, 200), right_in(80, 200)};
  std::signal(SIGINT, SIG_DFL);  // background jobs of a shell ignore it
  install_signal_handlers();
  std::raise(SIGINT);
  EXPECT_THROW((void)GetParam()(MeanOfRows(), systems, kTrials), Stopped);
  clear_requested_stop();
  std::signal(SIGINT, SIG_DFL);
}

TEST_P(PairedTests, GivesTheBaselineNoP) {
  const Systems systems{right_in(70, 200), right_in(80, 200)};
  const auto tested = GetParam()(MeanOfRows(), systems, kTrials);
  ASSERT_EQ(tested.size(), 2U);
  EXPECT_DOUBLE_EQ(tested[0].score, 0.35);
  EXPECT_EQ(tested[0].p_value, std::nullopt);
}

TEST_P(PairedTests, IsTheSameForTheSameSeed) {
  const Systems systems{right_in(70, 200), right_in(73, 200)};
  const auto p = [&](uint64_t seed) {
    return GetParam()(MeanOfRows(), systems, {.number = 500, .seed = seed})[1].p_value;
  };
  EXPECT_EQ(p(1), p(1));
}

INSTANTIATE_TEST_SUITE_P(Both, PairedTests,
                         ::testing::Values(&paired_bootstrap, &paired_randomization));

// The systems differ in 10 segments, all in favour of the second. A trial's difference is
// |10 - 2 swaps| / 100 of 10 fair coins and is never above the observed 10 / 100, so p is only the
// added 1 / (1 + trials).
TEST(PairedRandomization, CountsLargerDifferencesOnly) {
  const Systems systems{right_in(50, 100), right_in(60, 100)};
  EXPECT_DOUBLE_EQ(paired_randomization(MeanOfRows(), systems, kTrials)[1].p_value.value(),
                   1.0 / 2001);
}

// 9 segments in favour, 7 against: observed 2 / 100. A trial's difference is |16 - 2 heads| / 100
// of 16 fair coins; it is above 2 unless there are 7, 8 or 9 heads, which have (11440 + 12870 +
// 11440) / 65536 = 0.5455.
TEST(PairedRandomization, HasThePOfTheCoinTosses) {
  std::vector<double> baseline(100, 0.0);
  std::vector<double> system(100, 0.0);
  std::fill_n(system.begin(), 9, 1.0);
  std::fill_n(baseline.begin() + 50, 7, 1.0);
  const Systems systems{rows_of(baseline), rows_of(system)};
  const auto tested = paired_randomization(MeanOfRows(), systems, {.number = 20000, .seed = 2});
  EXPECT_NEAR(tested[1].p_value.value(), 1.0 - 0.5455, 0.015);
  EXPECT_FALSE(tested[1].interval.has_value());
}

// Gains that are +1 or 0 with mean D = 0.04 over 400 segments: the sample's difference is about
// normal around 0.04 with standard error sqrt(0.04 * 0.96 / 400) = 0.0098, and p counts those that
// are more than 0.04 above their mean: z = 4.1, so almost none.
TEST(PairedBootstrap, CountsDifferencesAroundTheirMean) {
  const Systems systems{right_in(100, 400), right_in(116, 400)};
  EXPECT_LT(paired_bootstrap(MeanOfRows(), systems, kTrials)[1].p_value.value(), 0.005);
}

// Gains of +1, -1 and 0: 30 in favour, 20 against, of 400; D = 10 / 400 = 0.025, standard error
// sqrt(50/400 - 0.025^2) / 20 = 0.0176. |d| is d nearly always (z = 1.42 below 0), so p is about
// P(z > (0.025 + (E|d| - D)) / 0.0176); with the reflected part E|d| = 0.0265 it is P(z > 1.50) =
// 0.067. Reflected samples change this slightly: p is within 0.05 .. 0.09.
TEST(PairedBootstrap, HasThePOfTheNormalApproximation) {
  std::vector<double> baseline(400, 0.0);
  std::vector<double> system(400, 0.0);
  std::fill_n(system.begin(), 30, 1.0);
  std::fill_n(baseline.begin() + 100, 20, 1.0);
  const Systems systems{rows_of(baseline), rows_of(system)};
  const auto tested = paired_bootstrap(MeanOfRows(), systems, {.number = 5000, .seed = 4});
  EXPECT_NEAR(tested[1].p_value.value(), 0.07, 0.02);
  EXPECT_NEAR(tested[1].interval.value().mean, 0.075, 0.001);
}

}  // namespace
}  // namespace attend::metrics
