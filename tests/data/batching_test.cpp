#include "data/batching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

using test::corpus_of;
using test::Lengths;
using test::natural_lengths;
using ::testing::ElementsAre;

BatchOptions tokens(int64_t size) {
  return {size, BatchUnit::tokens};
}
BatchOptions sentences(int64_t size) {
  return {size, BatchUnit::sentences};
}

/// Tokens of a batch, including end symbols.
struct Extent {
  int64_t rows = 0;
  int64_t longest_source = 0;
  int64_t longest_target = 0;
  int64_t real = 0;

  [[nodiscard]] int64_t source() const { return rows * longest_source; }
  [[nodiscard]] int64_t target() const { return rows * longest_target; }
};

Extent extent(const ParallelCorpus& corpus, std::span<const int64_t> pairs) {
  Extent extent;
  for (const int64_t pair : pairs) {
    ++extent.rows;
    extent.longest_source = std::max(extent.longest_source, corpus.source_length(pair) + 1);
    extent.longest_target = std::max(extent.longest_target, corpus.target_length(pair) + 1);
    extent.real += corpus.source_length(pair) + corpus.target_length(pair) + 2;
  }
  return extent;
}

/// Share of padding among all positions of both sides.
double padding_share(const ParallelCorpus& corpus, const EpochPlan& plan) {
  int64_t real = 0;
  int64_t all = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    const Extent batch = extent(corpus, plan.batch(i));
    real += batch.real;
    all += batch.source() + batch.target();
  }
  return 1.0 - static_cast<double>(real) / static_cast<double>(all);
}

class EpochPlanBy : public ::testing::TestWithParam<BatchOptions> {};

TEST_P(EpochPlanBy, HoldsEveryPairOnce) {
  const auto corpus = corpus_of(natural_lengths(5000));
  const auto plan = plan_epoch(corpus, GetParam(), 1, 1);
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < plan.size(); ++i) {
    const auto batch = plan.batch(i);
    EXPECT_FALSE(batch.empty());
    pairs.insert(pairs.end(), batch.begin(), batch.end());
  }
  std::sort(pairs.begin(), pairs.end());
  ASSERT_EQ(pairs.size(), 5000U);
  for (int64_t i = 0; i < 5000; ++i) ASSERT_EQ(pairs[static_cast<std::size_t>(i)], i);
}

TEST_P(EpochPlanBy, DependsOnSeedAndEpoch) {
  const auto corpus = corpus_of(natural_lengths(1000));
  const auto plan = plan_epoch(corpus, GetParam(), 1, 1);
  const auto again = plan_epoch(corpus, GetParam(), 1, 1);
  EXPECT_EQ(again.order, plan.order);
  EXPECT_EQ(again.starts, plan.starts);
  EXPECT_NE(plan_epoch(corpus, GetParam(), 1, 2).order, plan.order);
  EXPECT_NE(plan_epoch(corpus, GetParam(), 2, 1).order, plan.order);
}

// 30,000 pairs: about the size of Multi30k.
TEST_P(EpochPlanBy, NeedsLittlePadding) {
  const auto corpus = corpus_of(natural_lengths(30'000));
  EXPECT_LT(padding_share(corpus, plan_epoch(corpus, GetParam(), 1, 1)), 0.1);
}

std::set<std::set<int64_t>> groups(const EpochPlan& plan) {
  std::set<std::set<int64_t>> groups;
  for (int64_t i = 0; i < plan.size(); ++i)
    groups.emplace(plan.batch(i).begin(), plan.batch(i).end());
  return groups;
}

TEST_P(EpochPlanBy, BringsOtherPairsTogetherInEveryEpoch) {
  const auto corpus = corpus_of(natural_lengths(30'000));
  const auto first = groups(plan_epoch(corpus, GetParam(), 1, 1));
  const auto second = groups(plan_epoch(corpus, GetParam(), 1, 2));
  std::vector<std::set<int64_t>> same;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(same));
  EXPECT_LE(same.size(), first.size() / 50);
}

INSTANTIATE_TEST_SUITE_P(Units, EpochPlanBy, ::testing::Values(tokens(4000), sentences(80)),
                         [](const auto& test) { return std::string(enum_name(test.param.unit)); });

TEST(EpochPlan, DoesNotGoFromShortToLong) {
  const auto corpus = corpus_of(natural_lengths(5000));
  const auto plan = plan_epoch(corpus, sentences(50), 1, 1);
  int rises = 0;
  for (int64_t i = 1; i < plan.size(); ++i) {
    rises += extent(corpus, plan.batch(i)).longest_target >
             extent(corpus, plan.batch(i - 1)).longest_target;
  }
  EXPECT_GT(rises, 30);  // of 99; about half of a random order's
  EXPECT_LT(rises, 70);
}

TEST(EpochPlan, KeepsBothSidesWithinTheTokensAskedFor) {
  const auto corpus = corpus_of(natural_lengths(5000));
  const auto plan = plan_epoch(corpus, tokens(1000), 1, 1);
  for (int64_t i = 0; i < plan.size(); ++i) {
    EXPECT_LE(extent(corpus, plan.batch(i)).source(), 1000);
    EXPECT_LE(extent(corpus, plan.batch(i)).target(), 1000);
  }
}

/// Pairs in the largest batch of some epochs; the first batch of each is smaller at random.
std::size_t largest_batch(const ParallelCorpus& corpus, const BatchOptions& options) {
  std::size_t largest = 0;
  for (uint64_t epoch = 0; epoch < 10; ++epoch) {
    const auto plan = plan_epoch(corpus, options, 1, epoch);
    for (int64_t i = 0; i < plan.size(); ++i) largest = std::max(largest, plan.batch(i).size());
  }
  return largest;
}

// Rows of 4 + 1 tokens: four of them make 20.
TEST(EpochPlan, CountsEndSymbolsAndPadding) {
  const auto corpus = corpus_of(std::vector<Lengths>(8, {1, 4}));
  EXPECT_EQ(largest_batch(corpus, tokens(20)), 4U);
  EXPECT_EQ(largest_batch(corpus, tokens(19)), 3U);
  EXPECT_EQ(largest_batch(corpus_of(std::vector<Lengths>(8, {4, 1})), tokens(19)), 3U);
}

TEST(EpochPlan, GivesAPairOverTheSizeABatchOfItsOwn) {
  const auto corpus = corpus_of({{2, 2}, {50, 50}, {2, 2}});
  for (uint64_t epoch = 0; epoch < 10; ++epoch)
    EXPECT_THAT(groups(plan_epoch(corpus, tokens(10), 1, epoch)),
                ::testing::Contains(std::set<int64_t>{1}));
}

TEST(EpochPlan, CountsSentences) {
  EXPECT_EQ(largest_batch(corpus_of(natural_lengths(25)), sentences(10)), 10U);
}

// 25 pairs: a random first batch of 1 to 10, then 10 each, then the rest.
TEST(EpochPlan, StartsWithARandomPartOfABatch) {
  std::set<std::size_t> smallest;
  for (uint64_t epoch = 0; epoch < 50; ++epoch) {
    const auto plan = plan_epoch(corpus_of(natural_lengths(25)), sentences(10), 1, epoch);
    std::size_t least = 10;
    for (int64_t i = 0; i < plan.size(); ++i) least = std::min(least, plan.batch(i).size());
    smallest.insert(least);
  }
  EXPECT_GE(smallest.size(), 4U);
}

TEST(EpochPlan, IsEmptyForAnEmptyCorpus) {
  EXPECT_EQ(plan_epoch(ParallelCorpus(10), tokens(10), 1, 1).size(), 0);
}

TEST(MakeBatch, AddsTheSymbolsAndSortsBySourceLength) {
  ParallelCorpus corpus(100);
  using Ids = std::vector<text::TokenId>;
  corpus.add(Ids{10}, Ids{20, 21}, 1);
  corpus.add(Ids{11, 12}, Ids{22}, 4);
  corpus.add(Ids{13}, Ids{}, 5);
  const std::vector<int64_t> pairs = {0, 1, 2};
  const Batch batch = make_batch(corpus, pairs);
  EXPECT_EQ(batch.size(), 3);
  EXPECT_TRUE(batch.source().ids.equal(
      torch::tensor({{11, 12, 3}, {10, 3, 0}, {13, 3, 0}}, torch::kInt64)));
  EXPECT_TRUE(batch.target_input.ids.equal(
      torch::tensor({{2, 22, 0}, {2, 20, 21}, {2, 0, 0}}, torch::kInt64)));
  EXPECT_TRUE(batch.target_output.equal(
      torch::tensor({{22, 3, 0}, {20, 21, 3}, {3, 0, 0}}, torch::kInt64)));
  EXPECT_TRUE(batch.source().lengths.equal(torch::tensor({3, 2, 2}, torch::kInt64)));
  EXPECT_TRUE(batch.target_input.lengths.equal(torch::tensor({2, 3, 1}, torch::kInt64)));
  EXPECT_THAT(batch.lines, ElementsAre(4, 1, 5));
  EXPECT_EQ(batch.source_tokens, 7);
  EXPECT_EQ(batch.target_tokens, 6);
}

TEST(MakeBatch, HasABatchOfEachSourceAndSortsByTheLongest) {
  using Ids = std::vector<text::TokenId>;
  ParallelCorpus corpus(100, chunks_in_memory(), 2);
  const auto add = [&](const Ids& one, const Ids& two, const Ids& target) {
    const std::vector<ParallelCorpus::Ids> sources = {one, two};
    corpus.add(sources, target, corpus.size() + 1);
  };
  add({10}, {20, 21}, {30});
  add({11}, {22, 23, 24}, {31});
  const std::vector<int64_t> both = {0, 1};
  const Batch batch = make_batch(corpus, both);
  ASSERT_EQ(batch.sources.size(), 2U);
  EXPECT_TRUE(batch.sources[0].ids.equal(torch::tensor({{11, 3}, {10, 3}}, torch::kInt64)));
  EXPECT_TRUE(
      batch.sources[1].ids.equal(torch::tensor({{22, 23, 24, 3}, {20, 21, 3, 0}}, torch::kInt64)));
  EXPECT_EQ(batch.source_tokens, 2 + 2 + 4 + 3);
  EXPECT_THAT(batch.lines, ElementsAre(2, 1));
  EXPECT_THROW((void)batch.source(), std::logic_error);
  // The model reads the sources one after the other.
  const SentenceBatch reading = batch.reading();
  EXPECT_TRUE(reading.ids.equal(
      torch::tensor({{11, 3, 22, 23, 24, 3}, {10, 3, 20, 21, 3, 0}}, torch::kInt64)));
  EXPECT_TRUE(reading.lengths.equal(torch::tensor({6, 5}, torch::kInt64)));
  EXPECT_TRUE(reading.mask.equal(reading.ids.ne(0)));
}

// Rows of 1 + 1, of 4 + 1 and of 1 + 1 tokens: four of 5 make 20.
TEST(EpochPlan, CountsTheLongestSource) {
  ParallelCorpus corpus(100, chunks_in_memory(), 2);
  const std::vector<text::TokenId> one = {4}, four = {4, 4, 4, 4};
  const std::vector<ParallelCorpus::Ids> sources = {one, four};
  for (int64_t line = 1; line <= 8; ++line) corpus.add(sources, one, line);
  EXPECT_EQ(largest_batch(corpus, tokens(20)), 4U);
  EXPECT_EQ(largest_batch(corpus, tokens(19)), 3U);
}

TEST(MakeBatch, TakesThePairsAskedFor) {
  const auto corpus = corpus_of({{2, 2}, {2, 2}, {2, 2}});
  const std::vector<int64_t> pairs = {2, 0};
  EXPECT_THAT(make_batch(corpus, pairs).lines, ElementsAre(3, 1));
}

}  // namespace
}  // namespace attend::data
