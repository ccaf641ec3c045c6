#include "data/batch.h"

#include <gtest/gtest.h>

namespace attend::data {
namespace {

TEST(Framing, EndsSources) {
  const SentenceBatch sources = frame_sources({{7}, {8, 9}});
  EXPECT_TRUE(sources.ids.equal(torch::tensor({{7, 3, 0}, {8, 9, 3}}, torch::kInt64)));
  EXPECT_TRUE(sources.lengths.equal(torch::tensor({2, 3}, torch::kInt64)));
}

TEST(Framing, BeginsDecoderInputsAndEndsDecoderOutputs) {
  const FramedTargets targets = frame_targets({{7}, {8, 9}, {}});
  EXPECT_TRUE(
      targets.input.ids.equal(torch::tensor({{2, 7, 0}, {2, 8, 9}, {2, 0, 0}}, torch::kInt64)));
  EXPECT_TRUE(targets.input.lengths.equal(torch::tensor({2, 3, 1}, torch::kInt64)));
  EXPECT_TRUE(
      targets.output.equal(torch::tensor({{7, 3, 0}, {8, 9, 3}, {3, 0, 0}}, torch::kInt64)));
}

}  // namespace
}  // namespace attend::data
