// Attention to groups of positions and to positions within them.
#include "nn/attention/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/names.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

torch::Tensor int64s(const std::vector<int64_t>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kInt64).view(sizes);
}

AttentionOptions scored(ScoreKind score) {
  AttentionOptions options;
  options.score = score;
  options.size = 5;
  return options;
}

/// Two lines. The first has 6 positions in the groups (0 1 2), (3) and (5); position 4 is in none.
/// The second has a single group, (1 0), whose positions are in reverse order.
Memory two_lines() {
  const auto lengths = torch::tensor({6, 2}, torch::kInt64);
  Memory memory{random_f64({2, 6, 4}, 1), random_f64({2, 6, 4}, 2), test::mask_of(lengths, 6),
                lengths};
  memory.columns = int64s({0, 1, 2, 3, 6, 6, 5, 6, 6, 1, 0, 6, 6, 6, 6, 6, 6, 6}, {2, 3, 3});
  memory.group_keys = random_f64({2, 3, 2}, 3);
  return memory;
}

Attention two_levels(ScoreKind score = ScoreKind::additive,
                     DistributionKind distribution = DistributionKind::softmax) {
  AttentionOptions options = scored(score);
  options.distribution = distribution;
  Attention attention(options, /*query_size=*/3, /*memory_size=*/4, Projections::several_heads,
                      {.size = 2});
  test::randomize(attention, 7);
  return attention;
}

torch::Tensor weights_of(const Attention& attention, const torch::Tensor& query,
                         const Memory& memory) {
  return attention.attend(query, attention.prepare(memory), {}, 0, 0.0).weights;
}

// Dot products with the query 1. Inside (0 1): ln 2 and 0, so 2/3 and 1/3; groups: ln 3 and 0, so
// 3/4 and 1/4. Products 1/2, 1/4 and 1/4; values 4, 8 and 12 mix to 7. Position 3 is in no group.
TEST(AttentionToGroups, MultipliesBothLevelsByHand) {
  Attention attention(scored(ScoreKind::dot), 1, 1, Projections::several_heads, {.size = 1});
  const auto lengths = torch::tensor({4}, torch::kInt64);
  Memory memory{f64({std::log(2.0), 0, 5, 9}, {1, 4, 1}), f64({4, 8, 12, 100}, {1, 4, 1}),
                test::mask_of(lengths, 4), lengths};
  memory.columns = int64s({0, 1, 2, 4}, {1, 2, 2});
  memory.group_keys = f64({std::log(3.0), 0}, {1, 2, 1});
  const Attended attended =
      attention.attend(f64({1}, {1, 1, 1}), attention.prepare(memory), {}, 0, 0.0);
  EXPECT_THAT(attended.weights, TensorNear(f64({0.5, 0.25, 0.25, 0}, {1, 1, 4}), 1e-12));
  EXPECT_THAT(attended.context, TensorNear(f64({7}, {1, 1, 1}), 1e-12));
}

// A group of a single position and a line of a single group equal plain attention.
TEST(AttentionToGroups, IsPlainAttentionWhereALevelHasNoChoice) {
  const Attention attention = two_levels();
  const auto query = random_f64({2, 3, 3}, 4);
  Memory one = two_lines();
  one.columns = int64s({0, 1, 2, 3, 4, 5, 0, 1, 6, 6, 6, 6}, {2, 1, 6});
  one.group_keys = one.group_keys.narrow(1, 0, 1);
  Memory plain = one;
  plain.columns = torch::Tensor();
  EXPECT_THAT(weights_of(attention, query, one),
              TensorNear(weights_of(attention, query, plain), 1e-12));
}

TEST(AttentionToGroups, GivesNothingToHiddenPositionsAndToGroupsOfThem) {
  const Attention attention = two_levels();
  const auto query = random_f64({2, 3, 3}, 4);
  Memory memory = two_lines();
  memory.mask[0][3] = false;  // all of the second group
  memory.mask[0][1] = false;
  const torch::Tensor weights = weights_of(attention, query, memory);
  for (const int64_t hidden : {1, 3, 4}) {
    EXPECT_THAT(weights[0].select(1, hidden), TensorEq(torch::zeros({3}, torch::kFloat64)));
  }
  EXPECT_THAT(weights.sum(2), TensorNear(torch::ones({2, 3}, torch::kFloat64), 1e-12));
  Memory without = two_lines();
  without.columns = int64s({0, 2, 5, 6, 1, 0, 6, 6}, {2, 2, 2});
  without.group_keys = without.group_keys.index_select(1, int64s({0, 2}, {2}));
  EXPECT_THAT(weights_of(attention, query, without), TensorNear(weights, 1e-12));
}

class AttentionToGroupsBy : public testing::TestWithParam<DistributionKind> {};

TEST_P(AttentionToGroupsBy, GradientsMatchCentralDifferences) {
  const Attention attention = two_levels(ScoreKind::general, GetParam());
  const auto query = random_f64({2, 3, 3}, 4);
  const Memory memory = two_lines();
  const auto function = [&] {
    return attention.attend(query, attention.prepare(memory), {}, 0, 0.0).context.square().sum();
  };
  const auto leaves =
      test::leaves(attention, {query, memory.keys, memory.values, memory.group_keys});
  EXPECT_LT(test::max_directional_error(function, leaves), 1e-6);
}

TEST_P(AttentionToGroupsBy, ReadersOfSharedAndSelectedMemoriesSeeTheSame) {
  const Attention attention = two_levels(ScoreKind::general, GetParam());
  const PreparedMemory memory = attention.prepare(two_lines());
  const auto rows = int64s({1, 0, 0}, {3});
  const auto query = random_f64({2, 1, 3}, 4);
  const auto expected = attention.attend(query, memory, {}, 0, 0.0).context.index_select(0, rows);
  const auto of = [&](const PreparedMemory& picked) {
    return attention.attend(query.index_select(0, rows), picked, {}, 0, 0.0).context;
  };
  EXPECT_THAT(of(memory.select(rows)), TensorNear(expected, 1e-12));
  EXPECT_THAT(of(memory.with_owners().select(rows)), TensorNear(expected, 1e-12));
}

TEST_P(AttentionToGroupsBy, OnePositionAloneGetsAllTheWeight) {
  if (GetParam() == DistributionKind::sigmoid) return;
  const Attention attention = two_levels(ScoreKind::general, GetParam());
  const PreparedMemory memory = attention.prepare(two_lines());
  const auto query = random_f64({2, 1, 3}, 4);
  const auto weights =
      attention.attend(query, memory.restrict_to(int64s({2, -1}, {2})), {}, 0, 0.0).weights;
  EXPECT_THAT(weights[0][0], TensorEq(f64({0, 0, 1, 0, 0, 0}, {6})));
  EXPECT_THAT(weights[1], TensorEq(attention.attend(query, memory, {}, 0, 0.0).weights[1]));
}

INSTANTIATE_TEST_SUITE_P(Distributions, AttentionToGroupsBy,
                         testing::Values(DistributionKind::softmax, DistributionKind::sparsemax,
                                         DistributionKind::entmax15, DistributionKind::sigmoid),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(AttentionToGroups, HasNoFusedForm) {
  EXPECT_THAT(two_levels().plain_reasons(), testing::Contains("encoder.type"));
}

}  // namespace
}  // namespace attend::nn
