#include "data/parallel_corpus.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <variant>

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;

TEST(ParallelCorpus, GivesBackWhatWasAdded) {
  ParallelCorpus corpus(8000);
  corpus.add(Ids{4, 5, 6}, Ids{7}, 1);
  corpus.add(Ids{}, Ids{8, 9}, 3);
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.source(0), (Ids{4, 5, 6}));
  EXPECT_EQ(corpus.target(0), (Ids{7}));
  EXPECT_EQ(corpus.source(1), Ids{});
  EXPECT_EQ(corpus.target(1), (Ids{8, 9}));
  EXPECT_EQ(corpus.line(1), 3);
  EXPECT_EQ(corpus.source_length(0), 3);
  EXPECT_EQ(corpus.target_length(1), 2);
  EXPECT_EQ(corpus.tokens(), 6);
}

TEST(ParallelCorpus, HoldsAnyNumberOfSources) {
  ParallelCorpus corpus(8000, chunks_in_memory(), 3);
  const std::vector<Ids> first = {{4, 5}, {}, {6, 7, 8}};
  const std::vector<Ids> second = {{9}, {10}, {}};
  const auto add = [&](const std::vector<Ids>& sources, const Ids& target, int64_t line) {
    corpus.add(std::vector<ParallelCorpus::Ids>(sources.begin(), sources.end()), target, line);
  };
  add(first, {11}, 1);
  add(second, {12, 13}, 7);
  for (std::size_t side = 0; side < 3; ++side) {
    EXPECT_EQ(corpus.source(0, side), first[side]);
    EXPECT_EQ(corpus.source(1, side), second[side]);
    EXPECT_EQ(corpus.source_length(0, side), static_cast<int64_t>(first[side].size()));
  }
  EXPECT_EQ(corpus.target(1), (Ids{12, 13}));
  EXPECT_EQ(corpus.source_length(0), 3);  // the longest
  EXPECT_EQ(corpus.source_length(1), 1);
  EXPECT_EQ(corpus.target_length(1), 2);
  EXPECT_EQ(corpus.line(1), 7);
  EXPECT_THROW(corpus.add(Ids{4}, Ids{5}, 8), std::logic_error);
  EXPECT_THROW((void)corpus.source(0, 3), std::out_of_range);
}

class TokenBlockOf : public ::testing::TestWithParam<int64_t> {};

TEST_P(TokenBlockOf, KeepsTheLargestId) {
  const auto largest = static_cast<text::TokenId>(GetParam() - 1);
  TokenBlock block(GetParam(), chunks_in_memory());
  block.append(Ids{0, largest, 1});
  EXPECT_EQ(block.read(0, 3), (Ids{0, largest, 1}));
}

// 3 rows of 700,000 ids span several chunks of 2^19 or 2^20 ids.
TEST_P(TokenBlockOf, ReadsOverTheEndsOfItsPortions) {
  TokenBlock block(GetParam(), chunks_in_memory());
  Ids row(700'000);
  for (text::TokenId i = 0; i < 3; ++i) {
    std::iota(row.begin(), row.end(), i);
    for (auto& id : row) id %= 65536;
    block.append(row);
  }
  ASSERT_EQ(block.size(), 2'100'000U);
  EXPECT_EQ(block.read(1'400'000, 700'000), row);
  EXPECT_EQ(block.read(2'099'999, 1), Ids{row.back()});
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, TokenBlockOf, ::testing::Values(65536, 65537, 1'000'000));

TEST(TokenBlock, TakesTwoBytesAnIdWhereTheVocabularyAllows) {
  const TokenBlock small(65536, chunks_in_memory());
  const TokenBlock large(65537, chunks_in_memory());
  EXPECT_TRUE(std::holds_alternative<ChunkedArray<uint16_t>>(small.ids()));
  EXPECT_TRUE(std::holds_alternative<ChunkedArray<text::TokenId>>(large.ids()));
}

}  // namespace
}  // namespace attend::data
