#include "metrics/faithfulness/rankings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/random.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using Importance = std::vector<double>;

// Pairs of (1 2 3 4) and (1 3 2 4): five concordant, one discordant.
TEST(KendallTau, CountsPairsByHand) {
  EXPECT_NEAR(*kendall_tau(Importance{1, 2, 3, 4}, Importance{1, 3, 2, 4}), 4.0 / 6, 1e-15);
}

TEST(KendallTau, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  EXPECT_EQ(*kendall_tau(Importance{0.1, 0.9, 0.5}, Importance{2, 7, 3}), 1.0);
  EXPECT_EQ(*kendall_tau(Importance{1, 2, 3}, Importance{3, 2, 1}), -1.0);
}

// (1 1 2 3) and (1 2 2 3): four concordant pairs, none discordant, one tie in each:
// 4 / sqrt(5 * 5).
TEST(KendallTau, LeavesTiesOutOfBothFactors) {
  EXPECT_NEAR(*kendall_tau(Importance{1, 1, 2, 3}, Importance{1, 2, 2, 3}), 0.8, 1e-15);
}

TEST(KendallTau, IsUndefinedWhereEverythingIsTied) {
  EXPECT_FALSE(kendall_tau(Importance{1, 1, 1}, Importance{1, 2, 3}));
  EXPECT_FALSE(kendall_tau(Importance{1}, Importance{2}));
}

/// Tau-b by the counts of scipy.stats.kendalltau. With t pairs, of which x are tied in `a`, y in
/// `b`, z in both, and d are discordant: (t - x - y + z - 2 d) / sqrt((t - x) (t - y)).
double tau_by_counts(const Importance& a, const Importance& b) {
  const auto ties = [](const auto& values) {
    std::map<typename std::decay_t<decltype(values)>::value_type, double> counts;
    for (const auto& value : values) counts[value] += 1;
    double pairs = 0;
    for (const auto& [value, count] : counts) pairs += count * (count - 1) / 2;
    return pairs;
  };
  std::vector<std::pair<double, double>> both;
  for (std::size_t i = 0; i < a.size(); ++i) both.emplace_back(a[i], b[i]);
  const double x = ties(a), y = ties(b), in_both = ties(both);
  std::sort(both.begin(), both.end());
  double discordant = 0;  // inversions of b in the order of a; ties of a are in the order of b
  for (std::size_t i = 0; i < both.size(); ++i)
    for (std::size_t j = i + 1; j < both.size(); ++j)
      discordant += both[i].second > both[j].second ? 1 : 0;
  const double all = static_cast<double>(a.size() * (a.size() - 1)) / 2;
  return (all - x - y + in_both - 2 * discordant) / std::sqrt((all - x) * (all - y));
}

TEST(KendallTau, EqualsTheCountsOfInversionsAndTies) {
  Random random(7);
  for (int trial = 0; trial < 100; ++trial) {
    Importance a(11), b(11);
    for (double& x : a) x = static_cast<double>(random.below(6));
    for (double& x : b) x = static_cast<double>(random.below(6));
    EXPECT_NEAR(*kendall_tau(a, b), tau_by_counts(a, b), 1e-12);
  }
}

TEST(Ranked, PutsTheFirstOfEquallyImportantWordsFirst) {
  EXPECT_THAT(ranked(Importance{0.2, 0.5, 0.2, 0.1, 0.5}), ElementsAre(1, 4, 0, 2, 3));
}

// The top 2 of a are words 1 and 2, those of b words 2 and 3.
TEST(TopOverlap, IsTheShareOfSharedWordsByHand) {
  const Importance a{0.1, 0.5, 0.3, 0.1}, b{0.0, 0.1, 0.4, 0.5};
  EXPECT_EQ(top_overlap(a, b, 1), 0.0);
  EXPECT_EQ(top_overlap(a, b, 2), 0.5);
  EXPECT_EQ(top_overlap(a, b, 4), 1.0);
}

}  // namespace
}  // namespace attend::metrics
