#include "train/together/batch_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <numeric>

#include "data/batching.h"
#include "tests/train/tiny_run.h"
#include "train/objective/teacher_forcing.h"

namespace attend::train {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Pairs whose sides have these lengths, on lines 1, 2, ...
data::Batch batch_of_lengths(const std::vector<int64_t>& lengths) {
  data::ParallelCorpus corpus(test::kTinyVocabulary);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::vector<text::TokenId> tokens(static_cast<std::size_t>(lengths[i]),
                                            text::kSpecialSymbols);
    corpus.add(tokens, tokens, static_cast<int64_t>(i) + 1);
  }
  std::vector<int64_t> all(lengths.size());
  std::iota(all.begin(), all.end(), 0);
  return data::make_batch(corpus, all);
}

TEST(ShareOf, DealsTheLongestFirstForthAndBack) {
  // By length 9 8 7 6 | 5 4: rank 0 takes the 1st, 4th and 5th, rank 1 the rest.
  const data::Batch batch = batch_of_lengths({4, 9, 5, 8, 6, 7});
  EXPECT_THAT(share_of(batch, 0, 2)->batch.lines, UnorderedElementsAre(2, 3, 5));
  EXPECT_THAT(share_of(batch, 1, 2)->batch.lines, UnorderedElementsAre(1, 4, 6));
}

TEST(ShareOf, CutsOffPaddingThatNobodyNeeds) {
  const data::Batch batch = batch_of_lengths({2, 9});
  const auto share = share_of(batch, 1, 2);
  ASSERT_TRUE(share);
  EXPECT_THAT(share->batch.lines, ElementsAre(1));
  EXPECT_THAT(share->batch.source().ids.sizes().vec(), ElementsAre(1, 3));  // kEos included
  EXPECT_THAT(share->batch.target_output.sizes().vec(), ElementsAre(1, 3));
  EXPECT_EQ(share->batch.target_tokens, 3);
  EXPECT_EQ(share->batch.source_tokens, 3);
}

TEST(ShareOf, IsNothingWhereAllExamplesAreTaken) {
  const data::Batch batch = batch_of_lengths({2, 9});
  EXPECT_FALSE(share_of(batch, 2, 4));
  EXPECT_FALSE(share_of(batch, 3, 4));
}

TEST(ShareOf, SharesAddUpToTheBatch) {
  const data::Batch batch = batch_of_lengths({1, 6, 3, 3, 5, 2, 4});
  const auto model = test::tiny_model(0.0);
  const double whole = teacher_forced_loss(*model, batch, 0.0).nll.item<double>();
  double sum = 0.0;
  int64_t tokens = 0;
  for (int64_t rank = 0; rank < 3; ++rank) {
    const auto share = share_of(batch, rank, 3);
    sum += teacher_forced_loss(*model, share->batch, 0.0).nll.item<double>();
    tokens += share->batch.target_tokens;
  }
  EXPECT_NEAR(sum, whole, 1e-4);
  EXPECT_EQ(tokens, batch.target_tokens);
}

}  // namespace
}  // namespace attend::train
