#include "data/pair_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <numeric>

#include "data/tokenizer_models.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

class SampledSubwords : public ::testing::Test {
 protected:
  SampledSubwords() {
    std::string source, target;
    for (int i = 0; i < 200; ++i) {
      source += i % 3 == 0 ? "abcd fghi abc\n" : "abcde \u4e2d ghij\n";  // with an unknown one
      target += i % 2 == 0 ? "abcd\n" : "fghi fghi\n";
    }
    options_.train = {test::write_pairs(folder_, "x", source, target)};
    corpus_.emplace(read_training_text(options_, {bpe_, bpe_}).corpus);
    all_.resize(200);
    std::iota(all_.begin(), all_.end(), 0);
  }

  [[nodiscard]] PairSampler sampler(double alpha, uint64_t seed = 1) const {
    return {{bpe_, bpe_}, options_, alpha, seed};
  }
  [[nodiscard]] CutPairs cut(double alpha, uint64_t epoch, uint64_t seed = 1) const {
    return sampler(alpha, seed).cut(*corpus_, all_, epoch);
  }

  test::TempDir folder_;
  text::Tokenizer bpe_ = test::bpe_tokenizer(folder_);
  DataOptions options_;
  std::optional<ParallelCorpus> corpus_;
  std::vector<int64_t> all_;
};

TEST_F(SampledSubwords, KeepTheTextAndChangeItsPieces) {
  const CutPairs sampled = cut(0.5, 0);
  int64_t other = 0;
  for (const int64_t pair : all_) {
    const auto& ids = sampled.sources.at(0)[static_cast<std::size_t>(pair)];
    EXPECT_EQ(bpe_.decode(ids), bpe_.decode(corpus_->source(pair)));
    other += ids != corpus_->source(pair) ? 1 : 0;
  }
  EXPECT_GT(other, 100);
}

TEST_F(SampledSubwords, AreTheUsualPiecesWhereNothingIsDropped) {
  for (const int64_t pair : all_)
    EXPECT_EQ(bpe_.sample_again(corpus_->source(pair), 0.0, 7), corpus_->source(pair));
}

TEST_F(SampledSubwords, DependOnSeedEpochAndLine) {
  const CutPairs sampled = cut(0.5, 3);
  EXPECT_EQ(cut(0.5, 3).sources, sampled.sources);
  EXPECT_NE(cut(0.5, 4).sources, sampled.sources);
  EXPECT_NE(cut(0.5, 3, 2).sources, sampled.sources);
  EXPECT_NE(sampled.sources.at(0)[1], sampled.sources.at(0)[4]);  // the same text
}

TEST_F(SampledSubwords, DoNotDependOnTheBatchOrTheThread) {
  const CutPairs sampled = cut(0.5, 3);
  const std::vector<int64_t> some = {150, 3, 4};
  const PairSampler other = sampler(0.5);
  const auto thread =
      std::async(std::launch::async, [&] { return other.cut(*corpus_, some, 3); }).get();
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto pair = static_cast<std::size_t>(some[i]);
    EXPECT_EQ(thread.sources.at(0)[i], sampled.sources.at(0)[pair]);
    EXPECT_EQ(thread.targets[i], sampled.targets[pair]);
  }
}

TEST_F(SampledSubwords, KeepTheLengthLimit) {
  for (const int64_t pair : all_)
    options_.max_length = std::max(corpus_->source_length(pair), corpus_->target_length(pair));
  options_.max_length = corpus_->source_length(0);
  const CutPairs sampled = cut(0.9, 0);
  for (std::size_t i = 0; i < 200; i += 3)
    EXPECT_LE(sampled.sources.at(0)[i].size(), static_cast<std::size_t>(options_.max_length));
}

TEST_F(SampledSubwords, LeaveATagWhole) {
  options_.train[0].tag = "<bt>";
  text::TokenizerOptions tokenizer;
  tokenizer.vocabulary = 40;
  const auto models = tokenizer_models(tokenizer, options_);
  const text::Tokenizer tagged(folder_.write("tagged.model", models.at(0)), false);
  const auto corpus = read_training_text(options_, {tagged, tagged}).corpus;
  const PairSampler sampler({tagged, tagged}, options_, 0.5, 1);
  const CutPairs sampled = sampler.cut(corpus, all_, 0);
  for (const auto& ids : sampled.sources.at(0)) EXPECT_EQ(ids.front(), *tagged.find("<bt>"));
}

TEST_F(SampledSubwords, DifferBetweenSourcesOfTheSameText) {
  options_.train[0].sources.push_back({"two", options_.train[0].sources[0].path});
  const auto corpus = read_training_text(options_, {bpe_, bpe_}).corpus;
  const CutPairs sampled = sampler(0.5).cut(corpus, all_, 0);
  ASSERT_EQ(sampled.sources.size(), 2U);
  EXPECT_NE(sampled.sources[0], sampled.sources[1]);
  EXPECT_EQ(bpe_.decode(sampled.sources[1][0]), "abcd fghi abc");
}

TEST_F(SampledSubwords, MakeABatchSortedByTheirLengths) {
  const std::vector<int64_t> pairs = {0, 1, 2};
  CutPairs cut{{{{4, 5}, {4, 5, 6}, {7}}}, {{8}, {9, 9}, {8}}};
  const Batch batch = make_batch(*corpus_, pairs, cut);
  EXPECT_EQ(batch.lines, (std::vector<int64_t>{2, 1, 3}));
  EXPECT_EQ(batch.source_tokens, 9);
  EXPECT_EQ(batch.target_tokens, 7);
  EXPECT_EQ(batch.source().ids.size(1), 4);
}

}  // namespace
}  // namespace attend::data
