#include "nn/attention/scope/position_bias_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "nn/execution.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;

// R = 1, b = log (1, 2, 3) for the distances -1, 0, 1 and beyond; all energies are zero.
// t = 1: distances -1, 0, 1, 2; t = 2: -2, -1, 0, 1.
TEST(PositionBiasScope, RaisesEnergiesByDistanceByHand) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.scope = ScopeKind::position_bias;
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

// Head 0 has log (1, 2, 3), head 1 log (3, 1, 1); two sentences, the second with two positions.
TEST(PositionBiasScope, HasABiasForEachHeadByHand) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.scope = ScopeKind::position_bias;
  options.max_distance = 1;
  options.heads = 2;
  Attention attention(options, 2, 2);
  attention.to(torch::kFloat64);
  test::set_parameter(attention, "scope.bias", f64({1, 2, 3, 3, 1, 1}, {2, 3}).log());
  const auto zeros = torch::zeros({2, 3, 2}, torch::kFloat64);
  const auto lengths = torch::tensor({3, 2}, torch::kInt64);
  const auto expected = f64({2.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 6, 2.0 / 6, 3.0 / 6,  //
                             1.0 / 3, 1.0 / 3, 1.0 / 3, 3.0 / 5, 1.0 / 5, 1.0 / 5,  //
                             2.0 / 5, 3.0 / 5, 0.0,     1.0 / 3, 2.0 / 3, 0.0,      //
                             1.0 / 2, 1.0 / 2, 0.0,     3.0 / 4, 1.0 / 4, 0.0},
                            {2, 2, 2, 3});
  for (const bool fused : {false, true}) {
    const ExecutionScope scope({.fused = fused});
    const PreparedMemory memory =
        attention.prepare({zeros, zeros, test::mask_of(lengths, 3), lengths});
    const auto heads = attention.attend(zeros.slice(1, 0, 2), memory, {}, 0, 0.0).heads;
    EXPECT_THAT(heads, test::TensorNear(expected, 1e-12)) << fused;
  }
}

}  // namespace
}  // namespace attend::nn
