#include "decode/scoring/penalty.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attend::decode {
namespace {

TEST(Normalised, DividesByAPowerOfTheLength) {
  EXPECT_DOUBLE_EQ(normalised(-6.0, 4, 0.0), -6.0);
  EXPECT_DOUBLE_EQ(normalised(-6.0, 4, 1.0), -1.5);
  EXPECT_DOUBLE_EQ(normalised(-6.0, 4, 0.5), -3.0);
}

TEST(BestReachable, IsThatOfTheLongestOutputForPositiveAndOfTheShortestForNegativeAlpha) {
  EXPECT_DOUBLE_EQ(best_reachable(-6.0, 2, 3, 1.0), -2.0);
  EXPECT_DOUBLE_EQ(best_reachable(-6.0, 2, 3, -1.0), -12.0);
}

TEST(CoveragePenalty, SumsTheLogarithmsOfWhatIsMissing) {
  const auto mask = torch::tensor({{true, true, true}, {true, true, false}});
  CoveragePenalty penalty(mask, 2.0);

  penalty.add(torch::tensor({{0.5F, 0.25F, 0.25F}, {0.9F, 0.1F, 0.F}}));
  penalty.add(torch::tensor({{0.7F, 0.25F, 0.05F}, {0.6F, 0.4F, 0.F}}));

  // Sums 1.2, 0.5, 0.3 and 1.5, 0.5; sums above 1 count as 1, and padding does not count.
  const auto values = penalty.penalties();
  EXPECT_NEAR(values[0].item<double>(), 2 * (std::log(0.5) + std::log(0.3)), 1e-5);
  EXPECT_NEAR(values[1].item<double>(), 2 * std::log(0.5), 1e-5);
}

TEST(CoveragePenalty, StaysFiniteWithoutAnyAttention) {
  CoveragePenalty penalty(torch::tensor({{true, true}}), 1.0);
  penalty.add(torch::tensor({{1.F, 0.F}}));

  EXPECT_NEAR(penalty.penalties()[0].item<double>(), std::log(1e-6), 1e-3);
}

TEST(CoveragePenalty, FollowsTheRows) {
  CoveragePenalty penalty(torch::tensor({{true}, {true}}), 1.0);
  penalty.add(torch::tensor({{0.5F}, {0.25F}}));
  penalty.select(torch::tensor({1, 1, 0}, torch::kInt64));
  penalty.add(torch::tensor({{0.25F}, {0.5F}, {0.25F}}));

  const auto values = penalty.penalties().exp();
  EXPECT_TRUE(torch::allclose(values, torch::tensor({0.5, 0.75, 0.75}, torch::kDouble)));
}

}  // namespace
}  // namespace attend::decode
