#include "model/recurrent/decoder_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::random_f64;
using test::TensorEq;

torch::Tensor parents() {
  return torch::tensor({2, 2, 0}, torch::kInt64);
}

torch::Tensor picked(const torch::Tensor& x) {
  return x.index_select(0, parents());
}

TEST(DecoderState, SelectsTheRowsOfEverythingItHolds) {
  const DecoderState state{
      {{random_f64({3, 4}, 1), random_f64({3, 4}, 2)}, {random_f64({3, 4}, 3), {}}},
      random_f64({3, 5}, 4),
      {random_f64({3, 6}, 5), random_f64({3, 6}, 6)},
      7};
  const DecoderState selected = state.select(parents());
  ASSERT_EQ(selected.layers.size(), 2U);
  EXPECT_THAT(selected.layers[0].hidden, TensorEq(picked(state.layers[0].hidden)));
  EXPECT_THAT(selected.layers[0].cell, TensorEq(picked(state.layers[0].cell)));
  EXPECT_THAT(selected.layers[1].hidden, TensorEq(picked(state.layers[1].hidden)));
  EXPECT_FALSE(selected.layers[1].cell.defined());
  EXPECT_THAT(selected.feed, TensorEq(picked(state.feed)));
  EXPECT_THAT(selected.attention.previous, TensorEq(picked(state.attention.previous)));
  EXPECT_THAT(selected.attention.coverage, TensorEq(picked(state.attention.coverage)));
  EXPECT_EQ(selected.position, 7);
}

TEST(DecoderState, LeavesUndefinedWhatIsUndefined) {
  const DecoderState state{{{random_f64({3, 4}, 1), {}}}, {}, {}, 0};
  const DecoderState selected = state.select(parents());
  EXPECT_FALSE(selected.feed.defined());
  EXPECT_FALSE(selected.attention.previous.defined());
}

}  // namespace
}  // namespace attend::model
