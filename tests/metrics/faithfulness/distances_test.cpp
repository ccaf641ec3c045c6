#include "metrics/faithfulness/distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/random.h"

namespace attend::metrics {
namespace {

using Distribution = std::vector<double>;

Distribution random_distribution(std::size_t size, Random& random) {
  Distribution p(size);
  for (double& x : p) x = random.below(3) == 0 ? 0.0 : random.uniform();
  p.front() += 0.1;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

double entropy(const Distribution& p) {
  double sum = 0.0;
  for (const double x : p) sum -= x > 0.0 ? x * std::log(x) : 0.0;
  return sum;
}

// 1/2 (0.3 + 0.1 + 0.2) = 0.3.
TEST(TotalVariation, IsHalfTheSumOfTheDifferencesByHand) {
  EXPECT_NEAR(total_variation(Distribution{0.5, 0.3, 0.2}, Distribution{0.2, 0.4, 0.4}), 0.3,
              1e-15);
}

TEST(TotalVariation, IsOneForDisjointDistributions) {
  EXPECT_EQ(total_variation(Distribution{1, 0}, Distribution{0, 1}), 1.0);
}

// A second definition: the largest difference of probabilities that an event can have, which is
// the sum of the positive differences.
TEST(TotalVariation, EqualsTheLargestDifferenceOfAnEvent) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Distribution p = random_distribution(7, random), q = random_distribution(7, random);
    double largest = 0.0;
    for (unsigned event = 0; event < 128; ++event) {
      double difference = 0.0;
      for (unsigned i = 0; i < 7; ++i) difference += (event >> i & 1U) != 0 ? p[i] - q[i] : 0.0;
      largest = std::max(largest, difference);
    }
    EXPECT_NEAR(total_variation(p, q), largest, 1e-12);
  }
}

// m = (3/4, 1/4): 1/2 (1 ln 4/3) + 1/2 (1/2 ln 2/3 + 1/2 ln 2).
TEST(JensenShannon, EqualsTheFormulaByHand) {
  const double expected = 0.5 * std::log(4.0 / 3) + 0.25 * std::log(2.0 / 3) + 0.25 * std::log(2.0);
  EXPECT_NEAR(jensen_shannon(Distribution{1, 0}, Distribution{0.5, 0.5}), expected, 1e-15);
}

TEST(JensenShannon, IsLogTwoForDisjointDistributionsAndZeroForEqualOnes) {
  EXPECT_NEAR(jensen_shannon(Distribution{1, 0}, Distribution{0, 1}), std::log(2.0), 1e-15);
  EXPECT_EQ(jensen_shannon(Distribution{0.7, 0.3}, Distribution{0.7, 0.3}), 0.0);
}

// A second definition: H((p + q) / 2) - (H(p) + H(q)) / 2 with entropies H (Lin 1991).
TEST(JensenShannon, EqualsTheDifferenceOfEntropies) {
  Random random(6);
  for (int trial = 0; trial < 50; ++trial) {
    const Distribution p = random_distribution(9, random), q = random_distribution(9, random);
    Distribution mean(9);
    for (std::size_t i = 0; i < 9; ++i) mean[i] = (p[i] + q[i]) / 2;
    EXPECT_NEAR(jensen_shannon(p, q), entropy(mean) - (entropy(p) + entropy(q)) / 2, 1e-12);
  }
}

}  // namespace
}  // namespace attend::metrics
