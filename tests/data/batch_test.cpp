#include "data/batch.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace attend::data {
namespace {

using Sentences = std::vector<std::vector<text::TokenId>>;

TEST(Pad, FillsShortRowsWithPadding) {
  const SentenceBatch batch = pad(Sentences{{7, 3}, {8, 9, 3}});
  EXPECT_TRUE(batch.ids.equal(torch::tensor({{7, 3, 0}, {8, 9, 3}}, torch::kInt64)));
  EXPECT_TRUE(batch.lengths.equal(torch::tensor({2, 3}, torch::kInt64)));
  EXPECT_TRUE(batch.mask.equal(torch::tensor({{1, 1, 0}, {1, 1, 1}}).to(torch::kBool)));
}

// The mask follows the lengths, not the ids: a real token may have the id of padding.
TEST(Pad, MasksByLength) {
  EXPECT_TRUE(pad(Sentences{{0, 0}}).mask.equal(torch::ones({1, 2}, torch::kBool)));
}

TEST(Pad, RefusesAnEmptySentence) {
  EXPECT_THROW((void)pad(Sentences{{1}, {}}), std::logic_error);
}

TEST(SentenceBatch, KeepsItsLengthsOnTheCpu) {
  const auto moved = pad(Sentences{{7, 3}, {8, 9, 3}}).to(torch::kMeta);
  EXPECT_TRUE(moved.ids.is_meta());
  EXPECT_TRUE(moved.mask.is_meta());
  EXPECT_TRUE(moved.lengths.device().is_cpu());
}

}  // namespace
}  // namespace attend::data
