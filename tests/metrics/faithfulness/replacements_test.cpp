#include "metrics/faithfulness/replacements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace attend::metrics {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Weights = std::vector<double>;

auto near(double value) {
  return DoubleNear(value, 1e-15);
}

const Weights kWeights = {0.1, 0.6, 0.2, 0.1};
const Pivot kPivot{1, {3, 2, 1, 0}};

TEST(Replacements, AreThoseOfMoradiByHand) {
  EXPECT_THAT(replaced(kWeights, Replacement::permuted, kPivot), ElementsAre(0.1, 0.2, 0.6, 0.1));
  EXPECT_THAT(replaced(kWeights, Replacement::uniform, kPivot),
              ElementsAre(near(0.25), near(0.25), near(0.25), near(0.25)));
  EXPECT_THAT(replaced(kWeights, Replacement::without_largest, kPivot),
              ElementsAre(near(0.25), 0.0, near(0.5), near(0.25)));
  EXPECT_THAT(replaced(kWeights, Replacement::only_largest, kPivot),
              ElementsAre(0.0, near(1.0), 0.0, 0.0));
  EXPECT_THAT(replaced(kWeights, Replacement::last, kPivot), ElementsAre(0.0, 0.0, 0.0, near(1.0)));
  EXPECT_THAT(replaced(kWeights, Replacement::largest_kept, kPivot),
              ElementsAre(near(0.4 / 3), 0.6, near(0.4 / 3), near(0.4 / 3)));
}

TEST(Replacements, KeepASumThatIsNotOne) {
  const Weights weights = {0.5, 1.0, 0.25};
  for (const Replacement how : enum_values<Replacement>()) {
    const Weights other = replaced(weights, how, {1, {2, 0, 1}});
    EXPECT_NEAR(std::accumulate(other.begin(), other.end(), 0.0), 1.75, 1e-12) << enum_name(how);
  }
}

TEST(Without, IsZeroWhereNothingIsLeft) {
  const std::vector<std::size_t> all = {0, 1};
  EXPECT_THAT(without(Weights{0.3, 0.7}, all), ElementsAre(0.0, 0.0));
  const std::vector<std::size_t> only = {1};
  EXPECT_THAT(without(Weights{0.0, 1.0}, only), ElementsAre(0.0, 0.0));
}

TEST(DrawnPivot, MovesTheLargestWeight) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Pivot pivot = drawn_pivot(kWeights, random);
    EXPECT_EQ(pivot.largest, 1U);
    const Weights moved = replaced(kWeights, Replacement::permuted, pivot);
    EXPECT_LT(moved[1], 0.6);
    EXPECT_TRUE(std::is_permutation(moved.begin(), moved.end(), kWeights.begin()));
  }
}

TEST(DrawnPivot, DependsOnTheSeedOnly) {
  Random a(3), b(3), c(4);
  EXPECT_EQ(drawn_pivot(kWeights, a).permutation, drawn_pivot(kWeights, b).permutation);
  bool differs = false;
  for (int i = 0; i < 20; ++i)
    differs |= drawn_pivot(kWeights, a).permutation != drawn_pivot(kWeights, c).permutation;
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace attend::metrics
