#include "nn/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <stdexcept>

#include "nn/dropout.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::TensorEq;

torch::Tensor half_mask(torch::IntArrayRef sizes) {
  torch::manual_seed(5);
  return dropout_mask(sizes, 0.5, /*active=*/true, torch::empty({0}));
}

torch::Tensor named_lines(const std::vector<int64_t>& names) {
  return torch::tensor(names, torch::kInt64);
}

TEST(LinesScope, GivesEachLineItsOwnMaskAtAnyPosition) {
  const LinesScope outer(named_lines({7, 8, 9}));
  const torch::Tensor all = half_mask({3, 4, 20});
  {
    const LinesScope inner(named_lines({9, 7}));
    const torch::Tensor two = half_mask({2, 5, 20});
    EXPECT_THAT(two[0].narrow(0, 0, 4), TensorEq(all[2]));
    EXPECT_THAT(two[1].narrow(0, 0, 4), TensorEq(all[0]));
  }
  EXPECT_THAT(half_mask({3, 4, 20}), TensorEq(all));
}

TEST(LinesScope, RowsNameThemselvesWithoutAScope) {
  const torch::Tensor all = half_mask({3, 20});
  const LinesScope scope(named_lines({0, 1, 2}));
  EXPECT_THAT(half_mask({3, 20}), TensorEq(all));
}

// The heads of a line are adjacent, either in their own dimension or merged with the lines.
TEST(LinesScope, PartsOfALineAreAdjacent) {
  const LinesScope scope(named_lines({7, 8}));
  EXPECT_THAT(half_mask({2 * 3, 4, 20}).view({2, 3, 4, 20}), TensorEq(half_mask({2, 3, 4, 20})));
}

TEST(LinesScope, OfACountKeepsTheCurrentLines) {
  {
    const LinesScope lines(2);
    EXPECT_THAT(half_mask({2 * 3, 1, 20}).view({2, 3, 20}),
                TensorEq(half_mask({2, 3, 1, 20}).squeeze(2)));
    EXPECT_THAT(LinesScope::repeated(named_lines({1, 0})), TensorEq(named_lines({1, 0})));
  }
  const LinesScope named(named_lines({7, 8}));
  const torch::Tensor mask = half_mask({2 * 3, 4, 20});
  const LinesScope inner(2);
  EXPECT_THAT(half_mask({2 * 3, 4, 20}), TensorEq(mask));
}

TEST(LinesScope, RefusesRowsThatAreNotWholeLines) {
  const LinesScope scope(named_lines({7, 8}));
  EXPECT_THROW(half_mask({3, 4, 20}), std::logic_error);
}

TEST(LinesScope, RepeatedLinesDifferFromTheFirst) {
  const LinesScope scope(named_lines({7, 8}));
  const torch::Tensor once = half_mask({2, 50});
  const LinesScope again(LinesScope::repeated(named_lines({1, 0, 1, 1})));
  const torch::Tensor mask = half_mask({4, 50});
  EXPECT_THAT(mask[0], TensorEq(once[1]));
  EXPECT_THAT(mask[1], TensorEq(once[0]));
  EXPECT_FALSE(mask[2].equal(mask[0]));
  EXPECT_FALSE(mask[3].equal(mask[0]));
  EXPECT_FALSE(mask[3].equal(mask[2]));
}

// Without new names, the second pass of R-Drop would get the masks of the first pass's second
// segment.
TEST(LinesScope, NestedRepetitionsAllDiffer) {
  const LinesScope scope(named_lines({7, 8}));
  const LinesScope passes(LinesScope::repeated(named_lines({0, 1, 0, 1})));
  const LinesScope renamed(LinesScope::renamed(4));
  const torch::Tensor keys = LinesScope::repeated(named_lines({0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(std::get<0>(at::_unique2(keys)).numel(), 8);
}

TEST(StepsScope, DrawsStepByStepWhatIsDrawnAtOnce) {
  torch::manual_seed(5);
  const torch::Tensor a = dropout_mask({2, 6, 20}, 0.5, true, torch::empty({0}));
  const torch::Tensor b = dropout_mask({2, 6, 30}, 0.5, true, torch::empty({0}));
  const torch::Tensor after = dropout_mask({2, 20}, 0.5, true, torch::empty({0}));
  torch::manual_seed(5);
  {
    StepsScope steps;
    for (int64_t t = 0; t < 6; ++t) {
      steps.begin(t);
      EXPECT_THAT(dropout_mask({2, 20}, 0.5, true, torch::empty({0})), TensorEq(a.select(1, t)));
      EXPECT_THAT(dropout_mask({2, 1, 30}, 0.5, true, torch::empty({0})).squeeze(1),
                  TensorEq(b.select(1, t)));
    }
  }
  EXPECT_THAT(dropout_mask({2, 20}, 0.5, true, torch::empty({0})), TensorEq(after));
}

TEST(DrawUniform, TakesTheSameForTheSameColumnOfALine) {
  const LinesScope scope(named_lines({7, 8}));
  torch::manual_seed(5);
  const torch::Tensor in_order = draw_uniform({2, 4});
  torch::manual_seed(5);
  const torch::Tensor chosen =
      draw_uniform_at(torch::tensor({{3, 1, 3}, {0, 0, 2}}, torch::kInt64));
  EXPECT_THAT(chosen[0], TensorEq(in_order[0].index_select(0, named_lines({3, 1, 3}))));
  EXPECT_THAT(chosen[1], TensorEq(in_order[1].index_select(0, named_lines({0, 0, 2}))));
}

}  // namespace
}  // namespace attend::nn
