#include "data/epoch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/corpus_weights.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

const BatchOptions kBatches = {.size = 20, .unit = BatchUnit::sentences};
const OrderBounds kSmall = {.pool = 1000, .block = 50};

std::vector<int64_t> whole_pass(const EpochOrder& order) {
  std::vector<int64_t> pairs;
  for (int64_t pool = 0; pool < order.pools(); ++pool) {
    const EpochPlan plan = order.plan(pool);
    pairs.insert(pairs.end(), plan.order.begin(), plan.order.end());
  }
  return pairs;
}

TEST(EpochOrder, IsOnePoolForASmallCorpus) {
  const auto corpus = test::corpus_of(test::natural_lengths(900));
  const EpochOrder order(corpus, kBatches, 7, 2, kSmall);
  ASSERT_EQ(order.pools(), 1);
  const EpochPlan expected = plan_epoch(corpus, kBatches, 7, 2);
  EXPECT_EQ(order.plan(0).order, expected.order);
  EXPECT_EQ(order.plan(0).starts, expected.starts);
}

TEST(EpochOrder, HoldsEveryPairOnceInPoolsOfBoundedSize) {
  const auto corpus = test::corpus_of(test::natural_lengths(5010));
  const EpochOrder order(corpus, kBatches, 7, 2, kSmall);
  EXPECT_EQ(order.pools(), 6);
  EXPECT_EQ(order.pairs(), 5010);
  for (int64_t pool = 0; pool < order.pools(); ++pool) {
    const auto size = static_cast<int64_t>(order.plan(pool).order.size());
    EXPECT_EQ(size, order.pairs_before(pool + 1) - order.pairs_before(pool));
    EXPECT_LE(size, 1000);
  }
  auto pairs = whole_pass(order);
  std::sort(pairs.begin(), pairs.end());
  ASSERT_EQ(pairs.size(), 5010U);
  for (int64_t i = 0; i < 5010; ++i) EXPECT_EQ(pairs[static_cast<std::size_t>(i)], i);
}

TEST(EpochOrder, DependsOnSeedAndEpoch) {
  const auto corpus = test::corpus_of(test::natural_lengths(3000));
  const auto pass = [&](uint64_t seed, uint64_t epoch) {
    return whole_pass(EpochOrder(corpus, kBatches, seed, epoch, kSmall));
  };
  EXPECT_EQ(pass(7, 2), pass(7, 2));
  EXPECT_NE(pass(7, 2), pass(7, 3));
  EXPECT_NE(pass(7, 2), pass(8, 2));
}

TEST(EpochOrder, BringsOtherBlocksTogetherInEveryEpoch) {
  const auto corpus = test::corpus_of(test::natural_lengths(5000));
  const auto blocks_of_first_pool = [&](uint64_t epoch) {
    std::set<int64_t> blocks;
    for (const int64_t pair : EpochOrder(corpus, kBatches, 7, epoch, kSmall).plan(0).order)
      blocks.insert(pair / kSmall.block);
    return blocks;
  };
  EXPECT_EQ(blocks_of_first_pool(0).size(), 20U);
  EXPECT_NE(blocks_of_first_pool(0), blocks_of_first_pool(1));
}

TEST(EpochOrder, GivesEveryPartItsWeight) {
  auto corpus = test::corpus_of(test::natural_lengths(3000));
  corpus.set_parts({{1000, 2.37}, {3000, 0.5}});
  const EpochOrder order(corpus, kBatches, 7, 1, kSmall);
  EXPECT_EQ(order.pairs(), count_pairs_of_epoch(corpus));  // 2000 + 370 + 1000
  std::map<int64_t, int64_t> times;
  for (const int64_t pair : whole_pass(order)) ++times[pair];
  int64_t first = 0, second = 0;
  for (const auto& [pair, count] : times) {
    (pair < 1000 ? first : second) += count;
    EXPECT_LE(count, pair < 1000 ? 3 : 1);
    EXPECT_GE(count, pair < 1000 ? 2 : 1);
  }
  EXPECT_EQ(first, 2370);
  EXPECT_EQ(second, 1000);
}

TEST(EpochOrder, DrawsOtherPairsForTheFractionOfAWeightInEveryEpoch) {
  auto corpus = test::corpus_of(test::natural_lengths(3000));
  corpus.set_parts({{3000, 0.5}});
  const auto drawn = [&](uint64_t epoch) {
    std::vector<int64_t> pairs = whole_pass(EpochOrder(corpus, kBatches, 7, epoch, kSmall));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  };
  EXPECT_EQ(drawn(0).size(), 1500U);
  EXPECT_NE(drawn(0), drawn(1));
}

}  // namespace
}  // namespace attend::data
