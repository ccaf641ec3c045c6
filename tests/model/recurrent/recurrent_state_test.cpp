#include "model/recurrent/recurrent_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "model/decoder_state.h"
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

TEST(RecurrentState, ReordersTheRowsOfEverythingItHolds) {
  const RecurrentState state{
      {{random_f64({3, 4}, 1), random_f64({3, 4}, 2)}, {random_f64({3, 4}, 3), {}}},
      random_f64({3, 5}, 4),
      {random_f64({3, 6}, 5), random_f64({3, 6}, 6)},
      7};
  const RecurrentState reordered = state.reorder(parents());
  ASSERT_EQ(reordered.layers.size(), 2U);
  EXPECT_THAT(reordered.layers[0].hidden, TensorEq(picked(state.layers[0].hidden)));
  EXPECT_THAT(reordered.layers[0].cell, TensorEq(picked(state.layers[0].cell)));
  EXPECT_THAT(reordered.layers[1].hidden, TensorEq(picked(state.layers[1].hidden)));
  EXPECT_FALSE(reordered.layers[1].cell.defined());
  EXPECT_THAT(reordered.feed, TensorEq(picked(state.feed)));
  EXPECT_THAT(reordered.attention.previous, TensorEq(picked(state.attention.previous)));
  EXPECT_THAT(reordered.attention.coverage, TensorEq(picked(state.attention.coverage)));
  EXPECT_EQ(reordered.position, 7);
}

TEST(RecurrentState, LeavesUndefinedWhatIsUndefined) {
  const RecurrentState state{{{random_f64({3, 4}, 1), {}}}, {}, {}, 0};
  const RecurrentState reordered = state.reorder(parents());
  EXPECT_FALSE(reordered.feed.defined());
  EXPECT_FALSE(reordered.attention.previous.defined());
}

TEST(DecoderState, IsReorderedAndReadByTheDecoderThatMadeIt) {
  const RecurrentState held{{{random_f64({3, 4}, 1), {}}}, random_f64({3, 5}, 2), {}, 7};
  const DecoderState state(held);
  const DecoderState other = state.reorder(parents());
  const auto& reordered = other.as<RecurrentState>();
  EXPECT_THAT(reordered.feed, TensorEq(picked(held.feed)));
  EXPECT_EQ(reordered.position, 7);
  EXPECT_THAT(state.as<RecurrentState>().feed, TensorEq(held.feed));
  EXPECT_THAT(state.tensors(),
              testing::ElementsAre(TensorEq(held.layers[0].hidden), TensorEq(held.feed)));
}

/// The state of another decoder.
struct Cache {
  [[nodiscard]] Cache reorder(const torch::Tensor&) const { return *this; }
  [[nodiscard]] std::vector<torch::Tensor> tensors() const { return {}; }
};

TEST(DecoderState, OfADecoderThatCarriesNothingIsReorderedToNothing) {
  EXPECT_THAT(DecoderState().reorder(parents()).tensors(), testing::IsEmpty());
}

TEST(DecoderState, OfAnotherKindOfDecoderIsABug) {
  EXPECT_THROW((void)DecoderState(RecurrentState{}).as<Cache>(), std::logic_error);
  EXPECT_THROW((void)DecoderState().as<Cache>(), std::logic_error);
}

}  // namespace
}  // namespace attend::model
