#include "nn/attention/self_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/scope/causal_scope.h"
#include "nn/attention/scope/relative_scope.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kHeadSize = 1;

AttentionOptions dotted(ScopeKind scope) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.scope = scope;
  options.window = 1;
  return options;
}

AttentionParts parts_with(const AttentionOptions& options, std::shared_ptr<AttentionScope> scope) {
  return {make_score(options, {kHeadSize, kHeadSize}), make_distribution(options),
          std::move(scope)};
}

PreparedMemory memory_of(const Attention& attention, const torch::Tensor& values) {
  const int64_t rows = values.size(0), steps = values.size(1);
  const auto lengths = torch::full({rows}, steps, torch::kInt64);
  return attention.prepare(
      {torch::zeros_like(values), values, test::mask_of(lengths, steps), lengths});
}

// All energies are equal. The queries at positions 1, 2 and 3 see two, three and four positions.
TEST(CausalScope, HidesWhatLiesBehindAQueryByHand) {
  const AttentionOptions options = dotted(ScopeKind::global);
  const Attention attention(
      parts_with(options, std::make_shared<CausalScope>(make_scope(options, {1, 1}))), 1);
  const auto weights = attention
                           .attend(torch::zeros({1, 3, 1}, torch::kFloat64),
                                   memory_of(attention, f64({1, 2, 3, 4}, {1, 4, 1})), {}, 1, 0.0)
                           .weights;
  EXPECT_THAT(weights,
              TensorNear(f64({0.5, 0.5, 0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0.25, 0.25, 0.25, 0.25},
                             {1, 3, 4}),
                         1e-12));
}

// The window has one position to each side; the mask hides the later one.
TEST(CausalScope, HidesWhatAWindowWouldShow) {
  const AttentionOptions options = dotted(ScopeKind::local_m);
  const Attention attention(
      parts_with(options, std::make_shared<CausalScope>(make_scope(options, {1, 1}))), 1);
  const auto weights =
      attention
          .attend(torch::zeros({1, 5, 1}, torch::kFloat64),
                  memory_of(attention, f64({1, 2, 3, 4, 5}, {1, 5, 1})), {}, 0, 0.0)
          .weights;
  const auto expected = f64(
      {1, 0, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5},
      {1, 5, 5});
  EXPECT_THAT(weights, TensorNear(expected, 1e-12));
}

// k = 1, a^K = 2 log (1, 2, 3) and a^V = (10, 20, 30) for the distances -1, 0 and 1, keys 0,
// queries 1, a factor of 1/2. t = 0 over three positions: distances 0, 1, 1, so weights (2 3 3) /
// 8; t = 1: (1 2 3) / 6. The values (8 0 0) are added.
TEST(RelativeScope, ColoursEnergiesAndValuesByHand) {
  const AttentionOptions options = dotted(ScopeKind::global);
  const auto scope = std::make_shared<RelativeScope>(make_scope(options, {1, 1}),
                                                     RelativeScope::Sizes{kHeadSize, 1}, 0.5);
  Attention attention(parts_with(options, scope), 1);
  attention.to(torch::kFloat64);
  test::set_parameter(attention, "scope.keys", 2 * f64({1, 2, 3}, {3, 1}).log());
  test::set_parameter(attention, "scope.values", f64({10, 20, 30}, {3, 1}));
  const auto attended =
      attention.attend(torch::ones({1, 2, 1}, torch::kFloat64),
                       memory_of(attention, f64({8, 0, 0}, {1, 3, 1})), {}, 0, 0.0);
  EXPECT_THAT(attended.weights,
              TensorNear(f64({0.25, 0.375, 0.375, 1.0 / 6, 2.0 / 6, 3.0 / 6}, {1, 2, 3}), 1e-12));
  EXPECT_THAT(attended.context, TensorNear(f64({2 + 5 + 22.5, (8 + 140) / 6.0}, {1, 2, 1}), 1e-12));
}

SelfAttentionOptions causal_with(PositionKind positions) {
  SelfAttentionOptions options;
  options.attention = dotted(ScopeKind::global);
  options.attention.score = ScoreKind::scaled_dot;
  options.attention.heads = 2;
  options.attention.max_distance = 2;
  options.positions = positions;
  options.causal = true;
  return options;
}

TEST(SelfAttention, ExtendsInAnyPortions) {
  for (const PositionKind positions :
       {PositionKind::none, PositionKind::rotary, PositionKind::relative}) {
    SelfAttention attention(causal_with(positions), 8);
    test::randomize(attention, 3);
    const auto x = random_f64({2, 7, 8}, 5);
    const auto whole = attention.extend(x, {}, 0.0);
    EXPECT_EQ(whole.cache.length(), 7);
    const auto first = attention.extend(x.narrow(1, 0, 3), {}, 0.0);
    const auto second = attention.extend(x.narrow(1, 3, 4), first.cache, 0.0);
    EXPECT_THAT(second.attended.context, TensorNear(whole.attended.context.narrow(1, 3, 4), 1e-12))
        << enum_name(positions);
    EXPECT_THAT(second.cache.keys, TensorNear(whole.cache.keys, 1e-12)) << enum_name(positions);
  }
}

TEST(SelfAttention, KeepsTheRowsOfACacheThatAreSelected) {
  SelfAttention attention(causal_with(PositionKind::none), 8);
  test::randomize(attention, 3);
  const auto rows = torch::tensor({1, 1, 0}, torch::kInt64);
  const auto past = random_f64({2, 3, 8}, 5), next = random_f64({2, 1, 8}, 6);
  const KeyValueCache cache = attention.extend(past, {}, 0.0).cache;
  EXPECT_THAT(
      attention.extend(next.index_select(0, rows), cache.select(rows), 0.0).attended.context,
      TensorNear(attention.extend(next, cache, 0.0).attended.context.index_select(0, rows), 1e-12));
  EXPECT_EQ(KeyValueCache().select(rows).length(), 0);
}

}  // namespace
}  // namespace attend::nn
