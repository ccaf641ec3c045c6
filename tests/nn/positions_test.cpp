#include "nn/positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorNear;

// C = 3: the angles of the pairs are t and t / 10000^(2/3); the second cosine has no feature.
TEST(Sinusoids, AreSinesAndCosinesOfTheAnglesByHand) {
  const double slow = std::pow(10000.0, -2.0 / 3.0);
  EXPECT_THAT(sinusoids({1, 2}, 3, f64({0}, {1})),
              TensorNear(f64({std::sin(1), std::cos(1), std::sin(slow),  //
                              std::sin(2), std::cos(2), std::sin(2 * slow)},
                             {2, 3}),
                         1e-12));
}

TEST(Sinusoids, FarAlongASequenceAreRightInSinglePrecision) {
  EXPECT_NEAR(sinusoids({9999, 1}, 2, torch::zeros({1}))[0][0].item<double>(), std::sin(9999.0),
              1e-6);
}

// Two pairs at position 3: rotated by 3 and by 3 / 100.
TEST(Rotation, TurnsPairsOfNeighboursByHand) {
  const double fast = 3.0, slow = 0.03;
  EXPECT_THAT(
      Rotation({3, 1}, 4, f64({0}, {1})).rotated(f64({1, 2, 5, 7}, {1, 1, 4})),
      TensorNear(
          f64({std::cos(fast) - 2 * std::sin(fast), 2 * std::cos(fast) + std::sin(fast),
               5 * std::cos(slow) - 7 * std::sin(slow), 7 * std::cos(slow) + 5 * std::sin(slow)},
              {1, 1, 4}),
          1e-12));
}

TEST(Rotation, LeavesProductsThatDependOnDistanceAlone) {
  const auto query = random_f64({1, 1, 6}, 1), key = random_f64({1, 1, 6}, 2);
  const auto product = [&](int64_t at, int64_t of) {
    return (Rotation({at, 1}, 6, query).rotated(query) * Rotation({of, 1}, 6, key).rotated(key))
        .sum();
  };
  EXPECT_THAT(product(9, 4), TensorNear(product(25, 20), 1e-12));
  EXPECT_FALSE(torch::allclose(product(9, 4), product(9, 5)));
}

}  // namespace
}  // namespace attend::nn
