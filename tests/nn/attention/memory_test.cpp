#include "nn/attention/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::random_f64;
using test::TensorEq;

Memory two_sentences() {
  const auto lengths = torch::tensor({5, 3}, torch::kInt64);
  return {random_f64({2, 5, 4}, 1), random_f64({2, 5, 6}, 2), test::mask_of(lengths, 5), lengths};
}

torch::Tensor rows() {
  return torch::tensor({1, 1, 0}, torch::kInt64);
}

TEST(Memory, SelectsRowsOfEverything) {
  const Memory memory = two_sentences();
  const Memory selected = memory.select(rows());
  EXPECT_THAT(selected.keys, TensorEq(memory.keys.index_select(0, rows())));
  EXPECT_THAT(selected.values, TensorEq(memory.values.index_select(0, rows())));
  EXPECT_THAT(selected.mask, TensorEq(memory.mask.index_select(0, rows())));
  EXPECT_THAT(selected.lengths, TensorEq(torch::tensor({3, 3, 5}, torch::kInt64)));
}

TEST(Memory, CopiesSharedKeysAndValuesOnce) {
  Memory memory = two_sentences();
  memory.values = memory.keys;
  const PreparedMemory selected = PreparedMemory{memory, memory.keys, {}, {}}.select(rows());
  EXPECT_TRUE(selected.memory.values.is_same(selected.memory.keys));
  EXPECT_TRUE(selected.keys.is_same(selected.memory.keys));
  EXPECT_THAT(selected.keys, TensorEq(memory.keys.index_select(0, rows())));
}

TEST(PreparedMemory, SelectsRowsOfProjectedKeys) {
  const PreparedMemory prepared{two_sentences(), random_f64({2, 5, 7}, 3), {}, {}};
  EXPECT_THAT(prepared.select(rows()).keys, TensorEq(prepared.keys.index_select(0, rows())));
}

TEST(PreparedMemory, SelectsForcedWeightsByReader) {
  PreparedMemory prepared{two_sentences(), {}, {}, {}};
  prepared.forced_weights = random_f64({2, 3, 5}, 6);
  const torch::Tensor expected = prepared.forced_weights.index_select(0, rows());
  EXPECT_THAT(prepared.select(rows()).forced_weights, TensorEq(expected));
  EXPECT_THAT(prepared.with_owners().select(rows()).copy_per_reader().forced_weights,
              TensorEq(expected));
}

TEST(PreparedMemory, MayHaveNoProjectedKeys) {
  const PreparedMemory selected = PreparedMemory{two_sentences(), {}, {}, {}}.select(rows());
  EXPECT_FALSE(selected.keys.defined());
  EXPECT_EQ(selected.memory.keys.size(0), 3);
}

TEST(PreparedMemory, IsReadTheSameWhereReadersShareTheirSentences) {
  AttentionOptions options;
  options.score = ScoreKind::general;
  Attention attention(options, 3, 4);
  attention.to(torch::kFloat64);
  test::randomize(attention, 7);
  Memory memory = two_sentences();
  memory.values = random_f64({2, 5, 4}, 2);
  const PreparedMemory prepared = attention.prepare(memory);
  const torch::Tensor query = random_f64({3, 2, 3}, 4);
  const Attended apart = attention.attend(query, prepared.select(rows()), {}, 0, 0.0);
  const Attended sharing =
      attention.attend(query, prepared.with_owners().select(rows()), {}, 0, 0.0);
  EXPECT_THAT(sharing.weights, TensorEq(apart.weights));
  EXPECT_THAT(sharing.context, TensorEq(apart.context));
}

TEST(AttentionState, SelectsWhatItHolds) {
  const AttentionState state{random_f64({2, 5}, 1), random_f64({2, 5}, 2)};
  const AttentionState selected = state.select(rows());
  EXPECT_THAT(selected.previous, TensorEq(state.previous.index_select(0, rows())));
  EXPECT_THAT(selected.coverage, TensorEq(state.coverage.index_select(0, rows())));
  EXPECT_FALSE(AttentionState().select(rows()).previous.defined());
}

}  // namespace
}  // namespace attend::nn
