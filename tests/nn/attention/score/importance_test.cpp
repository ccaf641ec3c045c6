#include "nn/attention/score/importance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/attention/attention.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;

// w (A = 2) is a vector, or with `per_feature` the rows of a matrix.
TEST(Importance, WeighsOncePerVector) {
  const auto z = f64({1, 2, 3, 4}, {1, 1, 2, 2});
  EXPECT_THAT(weigh(z, f64({10, 1}, {2})), test::TensorEq(f64({12, 34}, {1, 1, 2})));
  EXPECT_THAT(weigh(z, f64({10, 1, 0, -1, 1, 0}, {3, 2})),
              test::TensorEq(f64({12, 34, -2, -4, 1, 3}, {1, 3, 1, 2})));
}

// A = 1, C = 2, w = (2 log 2; 0). tanh(W_k k) = (1/2, 0) for the two words, so the first feature
// has energies (log 2, 0) and weights (2/3, 1/3), the second (0, 0) and (1/2, 1/2).
// Values (3 10), (6 20): context (3 * 2/3 + 6 * 1/3, 15).
TEST(Importance, GivesEachFeatureWeightsOfItsOwnByHand) {
  AttentionOptions options;
  options.size = 1;
  options.per_feature = true;
  Attention attention(options, 1, 2);
  attention.to(torch::kFloat64);
  test::set_parameter(attention, "score.key_weight", f64({1, 0}, {1, 2}));
  test::set_parameter(attention, "score.query_weight", f64({0}, {1, 1}));
  test::set_parameter(attention, "score.vector", f64({2 * std::log(2.0), 0}, {2, 1}));
  const auto lengths = torch::full({1}, 2, torch::kInt64);
  const PreparedMemory memory =
      attention.prepare({f64({std::atanh(0.5), 7, 0, 7}, {1, 2, 2}), f64({3, 10, 6, 20}, {1, 2, 2}),
                         test::mask_of(lengths, 2), lengths});
  const Attended attended = attention.attend(f64({1}, {1, 1, 1}), memory, {}, 0, 0.0);
  EXPECT_THAT(attended.context, TensorNear(f64({4, 15}, {1, 1, 2}), 1e-12));
  EXPECT_THAT(attended.weights, TensorNear(f64({7.0 / 12, 5.0 / 12}, {1, 1, 2}), 1e-12));
}

}  // namespace
}  // namespace attend::nn
