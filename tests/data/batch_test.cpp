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

/// Two sources and a target of two pairs.
Batch two_pairs() {
  Batch batch;
  batch.sources = {pad(Sentences{{7, 3}, {8, 9, 3}}), pad(Sentences{{5, 3}, {3}})};
  const FramedTargets targets = frame_targets(Sentences{{4, 5}, {6}});
  batch.target_input = targets.input;
  batch.target_output = targets.output;
  batch.target_tokens = 5;
  return batch;
}

TEST(Batch, ArrivesWithTheSameContentInOneCopy) {
  const Batch batch = two_pairs();
  const Batch sent = batch.sent_to(torch::kCPU);
  ASSERT_EQ(sent.sources.size(), 2);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(sent.sources[k].ids.equal(batch.sources[k].ids));
    EXPECT_TRUE(sent.sources[k].mask.equal(batch.sources[k].mask));
    EXPECT_TRUE(sent.sources[k].lengths_there().equal(batch.sources[k].lengths));
  }
  EXPECT_TRUE(sent.target_input.ids.equal(batch.target_input.ids));
  EXPECT_TRUE(sent.target_input.mask.equal(batch.target_input.mask));
  EXPECT_TRUE(sent.target_output.equal(batch.target_output));
  EXPECT_EQ(sent.target_tokens, 5);
}

TEST(Batch, SaysWhereItsRealTargetsAre) {
  const Batch sent = two_pairs().sent_to(torch::kCPU);
  EXPECT_TRUE(sent.target_places.equal(sent.target_input.mask.flatten().nonzero().squeeze(1)));
  const Batch both = twice(sent);
  EXPECT_TRUE(both.target_places.equal(both.target_input.mask.flatten().nonzero().squeeze(1)));
  EXPECT_TRUE(both.sources[0].lengths_there().equal(both.sources[0].lengths));
}

}  // namespace
}  // namespace attend::data
