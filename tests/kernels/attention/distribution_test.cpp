#include "kernels/attention/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr Distribution kSparsemax{DistributionKind::sparsemax};
constexpr Distribution kEntmax15{DistributionKind::entmax15};

template <class T>
std::vector<T> distributed(const Distribution& how, std::vector<T> x) {
  std::vector<T> kept(x.size());
  distribute(how, x.data(), kept.data(), static_cast<int64_t>(x.size()));
  return x;
}

template <class T>
class DistributionTest : public testing::Test {};
TYPED_TEST_SUITE(DistributionTest, FloatAndDouble);

// tau = (2 + 1.5 - 1) / 2 = 1.25 with two positions above; the third, 1, is below it.
TYPED_TEST(DistributionTest, SparsemaxIsTheProjectionByHand) {
  using T = TypeParam;
  expect_near(distributed<T>(kSparsemax, {T(1.5), T(1), T(2), T(-50)}),
              std::vector<double>{0.25, 0.0, 0.75, 0.0}, kTolerance<T>);
}

// e / 2 = (0.1, -0.7, -40): tau = -0.7 makes (0.8)^2 + 0 = 0.64 < 1, so both are inside: with mean
// m = -0.3 and squared deviations 2 * 0.16, tau = -0.3 - sqrt((1 - 0.32) / 2).
TYPED_TEST(DistributionTest, Entmax15IsTheRootByHand) {
  using T = TypeParam;
  const double tau = -0.3 - std::sqrt(0.34);
  expect_near(distributed<T>(kEntmax15, {T(0.2), T(-1.4), T(-80)}),
              std::vector<double>{(0.1 - tau) * (0.1 - tau), (-0.7 - tau) * (-0.7 - tau), 0.0},
              kTolerance<T>);
}

TYPED_TEST(DistributionTest, SparseOnesSumToOneForAnyEnergies) {
  using T = TypeParam;
  for (const Distribution& how : {kSparsemax, kEntmax15}) {
    for (unsigned seed = 0; seed < 200; ++seed) {
      std::vector<T> x = noise<T>(1 + seed % 70, seed);
      for (T& energy : x) energy *= static_cast<T>(seed % 7);
      const std::vector<T> weights = distributed(how, x);
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0,
                  sizeof(T) == 4 ? 2e-5 : 1e-12)
          << seed;
      EXPECT_GE(*std::min_element(weights.begin(), weights.end()), T(0));
    }
  }
}

TEST(Distribution, OfEqualEnergiesIsEven) {
  for (const auto kind : {DistributionKind::softmax, DistributionKind::sparsemax,
                          DistributionKind::entmax15, DistributionKind::sigmoid_share}) {
    expect_near(distributed<double>({kind}, std::vector<double>(40, 3.0)),
                std::vector<double>(40, 1.0 / 40), 1e-14);
  }
}

TEST(Distribution, SurvivesHugeEnergies) {
  for (const auto kind : {DistributionKind::softmax, DistributionKind::sparsemax,
                          DistributionKind::entmax15, DistributionKind::sigmoid_share}) {
    expect_near(distributed<float>({kind}, {-1e30F, 1e9F, -1e9F}),
                std::vector<float>{0.0F, 1.0F, 0.0F}, 1e-6);
  }
}

// A NaN must not become plausible weights: training and search stop when they find it.
TEST(Distribution, PropagatesNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto kind : {DistributionKind::softmax, DistributionKind::sparsemax,
                          DistributionKind::entmax15, DistributionKind::sigmoid_share}) {
    for (const std::size_t place : {0U, 7U, 39U}) {
      std::vector<double> energies(40, 3.0);
      energies[place] = nan;
      const std::vector<double> weights = distributed<double>({kind}, energies);
      EXPECT_TRUE(
          std::any_of(weights.begin(), weights.end(), [](double w) { return std::isnan(w); }))
          << static_cast<int>(kind) << " " << place;
    }
  }
}

TEST(Distribution, SigmoidIsThatOfEach) {
  expect_near(distributed<double>({DistributionKind::sigmoid}, {0.0, std::log(3.0)}),
              std::vector<double>{0.5, 0.75}, 1e-15);
  expect_near(distributed<double>({DistributionKind::sigmoid_share}, {0.0, std::log(3.0)}),
              std::vector<double>{0.4, 0.6}, 1e-15);
}

TEST(Distribution, LargestIsTheFirstOfEquals) {
  for (const auto kind : {DistributionKind::largest, DistributionKind::straight_through}) {
    expect_near(distributed<double>({kind}, {0.0, 2.0, 2.0, 1.0}),
                std::vector<double>{0.0, 1.0, 0.0, 0.0}, 0.0);
  }
}

// d = (1, 0). The energies 0 and 2 log 3 at temperature 2 have the softmax (1/4, 3/4).
TEST(Distribution, StraightThroughHasTheGradientOfSoftmax) {
  std::vector<double> x{0.0, 2.0 * std::log(3.0)}, kept(2), d{1.0, 0.0};
  const Distribution how{DistributionKind::straight_through, 2.0};
  distribute(how, x.data(), kept.data(), 2);
  distribute_gradient(how, x.data(), kept.data(), d.data(), 2);
  expect_near(x, std::vector<double>{0.0, 1.0}, 0.0);
  expect_near(d, std::vector<double>{3.0 / 32, -3.0 / 32}, 1e-15);
}

TEST(Distribution, SoftmaxDividesByTheTemperature) {
  expect_near(distributed<double>({DistributionKind::softmax, 2.0}, {0.0, 2.0 * std::log(3.0)}),
              std::vector<double>{0.25, 0.75}, 1e-15);
}

}  // namespace
}  // namespace attend::kernels
