#include "nn/rnn/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::TensorEq;

torch::Tensor ints(const std::vector<int64_t>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kInt64).view(sizes);
}

TEST(ReversedPositions, TurnTheRealPartAndLeavePaddingInPlace) {
  EXPECT_THAT(reversed_positions(ints({4, 2, 1}, {3}), 5), TensorEq(ints({3, 2, 1, 0, 4,  //
                                                                          1, 0, 2, 3, 4,  //
                                                                          0, 1, 2, 3, 4},
                                                                         {3, 5})));
}

TEST(ReversedPositions, LeaveTheLastOnesWhereTheyAre) {
  EXPECT_THAT(reversed_positions(ints({4, 2, 1}, {3}), 5, /*keep_last=*/1),
              TensorEq(ints({2, 1, 0, 3, 4,  //
                             0, 1, 2, 3, 4,  //
                             0, 1, 2, 3, 4},
                            {3, 5})));
}

TEST(GatherPositions, TakesFromEachRowByItself) {
  const auto x = ints({10, 11, 12, 20, 21, 22}, {2, 3});
  const auto positions = ints({2, 0, 1, 1}, {2, 2});
  EXPECT_THAT(gather_positions(x, positions), TensorEq(ints({12, 10, 21, 21}, {2, 2})));
}

TEST(GatherPositions, TakesWholeVectors) {
  const auto x = ints({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  EXPECT_THAT(gather_positions(x, ints({2, 0}, {1, 2})), TensorEq(ints({5, 6, 1, 2}, {1, 2, 2})));
}

TEST(ZeroState, HasACellOnlyWhereTheCellHas) {
  const auto like = torch::ones({1}, torch::kFloat64);
  const CellState lstm = make_cell(CellKind::lstm, 2, 3, false)->start(4, like);
  const CellState gru = make_cell(CellKind::gru, 2, 3, false)->start(4, like);
  const auto zeros = torch::zeros({4, 3}, torch::kFloat64);
  EXPECT_THAT(lstm.hidden, TensorEq(zeros));
  EXPECT_THAT(lstm.cell, TensorEq(zeros));
  EXPECT_THAT(gru.hidden, TensorEq(zeros));
  EXPECT_EQ(gru.hidden.scalar_type(), torch::kFloat64);
  EXPECT_FALSE(gru.cell.defined());
}

TEST(CellState, SelectsRowsOfBothParts) {
  const CellState state{ints({1, 2, 3, 4, 5, 6}, {3, 2}), ints({7, 8, 9, 10, 11, 12}, {3, 2})};
  const CellState selected = state.select(ints({2, 0, 2, 1}, {4}));
  EXPECT_THAT(selected.hidden, TensorEq(ints({5, 6, 1, 2, 5, 6, 3, 4}, {4, 2})));
  EXPECT_THAT(selected.cell, TensorEq(ints({11, 12, 7, 8, 11, 12, 9, 10}, {4, 2})));
}

}  // namespace
}  // namespace attend::nn
