#include "kernels/output/log_sum_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace attend::kernels {
namespace {

TEST(LogSumExp, IsItsDefinitionForEveryRow) {
  constexpr int64_t kColumns = 1003;
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0.0F, 3.0F);
  std::vector<float> x(2 * kColumns);
  for (float& entry : x) entry = normal(random);
  x[5] = -std::numeric_limits<float>::infinity();
  std::vector<double> found(2);
  log_sum_exp(x.data(), 2, kColumns, found.data());
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0.0;
    for (std::size_t k = 0; k < kColumns; ++k) sum += std::exp(double{x[row * kColumns + k]});
    EXPECT_NEAR(found[row], std::log(sum), 1e-6);
  }
}

TEST(LogSumExp, DoesNotOverflow) {
  const std::vector<float> x{1e30F, 1e30F, -1e30F};
  double found = 0.0;
  log_sum_exp(x.data(), 1, 3, &found);
  EXPECT_DOUBLE_EQ(found, double{1e30F} + std::log(2.0));
}

}  // namespace
}  // namespace attend::kernels
