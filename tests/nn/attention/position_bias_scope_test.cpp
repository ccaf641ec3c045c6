#include "nn/attention/position_bias_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;

// R = 1, b = log (1, 2, 3) for the distances -1, 0, 1 and beyond; all energies are zero.
// t = 1: distances -1, 0, 1, 2; t = 2: -2, -1, 0, 1.
TEST(PositionBiasScope, RaisesEnergiesByDistanceByHand) {
  AttentionOptions options;
  options.score = "dot";
  options.scope = "position_bias";
  options.max_distance = 1;
  Attention attention(options, 1, 1);
  attention.to(torch::kFloat64);
  test::set_parameter(attention, "scope.bias", f64({1, 2, 3}, {3}).log());
  const auto zeros = torch::zeros({1, 4, 1}, torch::kFloat64);
  const auto lengths = torch::full({1}, 4, torch::kInt64);
  const PreparedMemory memory =
      attention.prepare({zeros, zeros, test::mask_of(lengths, 4), lengths});
  const auto weights = attention.attend(zeros.slice(1, 0, 2), memory, {}, 1, 0.0).weights;
  EXPECT_THAT(weights, test::TensorNear(f64({1.0 / 9, 2.0 / 9, 3.0 / 9, 3.0 / 9,  //
                                             1.0 / 7, 1.0 / 7, 2.0 / 7, 3.0 / 7},
                                            {1, 2, 4}),
                                        1e-12));
}

}  // namespace
}  // namespace attend::nn
