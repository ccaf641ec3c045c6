#include "model/recurrent/source_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::TensorEq;

/// Lengths 4, 2 and 1; every row ends in </s> = 3.
data::SentenceBatch source() {
  return test::sentences({{7, 8, 9, 3}, {5, 3}, {3}});
}

data::SentenceBatch arrange(bool reverse, int64_t repeat) {
  RecurrentEncoderOptions options;
  options.reverse_source = reverse;
  options.repeat_source = repeat;
  return arrange_source(source(), options);
}

torch::Tensor ints(const std::vector<int64_t>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kInt64).view(sizes);
}

TEST(ArrangeSource, LeavesTheBatchAsItIsByDefault) {
  EXPECT_THAT(arrange(false, 1).ids, TensorEq(source().ids));
}

TEST(ArrangeSource, ReversesTheWordsAndKeepsTheEndLast) {
  const data::SentenceBatch turned = arrange(true, 1);
  EXPECT_THAT(turned.ids, TensorEq(ints({9, 8, 7, 3, 5, 3, 0, 0, 3, 0, 0, 0}, {3, 4})));
  EXPECT_THAT(turned.lengths, TensorEq(ints({4, 2, 1}, {3})));
  EXPECT_THAT(turned.mask, TensorEq(source().mask));
}

TEST(ArrangeSource, RepeatsTheWordsWithOneEnd) {
  const data::SentenceBatch twice = arrange(false, 2);
  EXPECT_THAT(twice.ids, TensorEq(ints({7, 8, 9, 7, 8, 9, 3,  //
                                        5, 5, 3, 0, 0, 0, 0,  //
                                        3, 0, 0, 0, 0, 0, 0},
                                       {3, 7})));
  EXPECT_THAT(twice.lengths, TensorEq(ints({7, 3, 1}, {3})));
  EXPECT_THAT(twice.mask, TensorEq(test::mask_of(twice.lengths, 7)));
}

TEST(ArrangeSource, RepeatsTheReversedWords) {
  const data::SentenceBatch both = arrange(true, 3);
  EXPECT_THAT(both.ids[0], TensorEq(ints({9, 8, 7, 9, 8, 7, 9, 8, 7, 3}, {10})));
  EXPECT_THAT(both.lengths, TensorEq(ints({10, 4, 1}, {3})));
}

}  // namespace
}  // namespace attend::model
