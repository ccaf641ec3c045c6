#include "data/augmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "data/pair_sampler.h"
#include "data/tokenizer_models.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

TEST(Augmentation, DrawsEachChangeInItsShare) {
  const AugmentOptions options{0.1, 0.2, 0.05, 0.15, 0.3};
  std::map<Change, double> counts;
  constexpr int kDraws = 20'000;
  for (uint64_t seed = 0; seed < kDraws; ++seed) counts[draw_change(options, seed)] += 1.0 / kDraws;
  EXPECT_NEAR(counts[Change::upper_case], 0.1, 0.01);
  EXPECT_NEAR(counts[Change::title_case], 0.2, 0.01);
  EXPECT_NEAR(counts[Change::no_final_mark], 0.05, 0.01);
  EXPECT_NEAR(counts[Change::typos], 0.15, 0.01);
  EXPECT_NEAR(counts[Change::two_sentences], 0.3, 0.01);
  EXPECT_NEAR(counts[Change::none], 0.2, 0.01);
}

TEST(Augmentation, ChangesBothSidesButMistypesTheSourceAlone) {
  EXPECT_EQ(changed("ein Hund", Change::upper_case, Side::target, 1), "EIN HUND");
  EXPECT_EQ(changed("ein Hund .", Change::no_final_mark, Side::source, 1), "ein Hund");
  EXPECT_EQ(changed("ein Hund", Change::typos, Side::target, 1), "ein Hund");
  EXPECT_NE(changed("ein Hund", Change::typos, Side::source, 1), "ein Hund");
  EXPECT_EQ(changed("ein Hund", Change::two_sentences, Side::source, 1), "ein Hund");
}

/// Forty numbered pairs, with a tokenizer that learns from changed lines.
class AugmentedPairs : public ::testing::Test {
 protected:
  AugmentedPairs() {
    std::string source, target;
    for (int i = 0; i < 40; ++i) {
      const std::string name = std::string(1, static_cast<char>('a' + i % 20)) + "mnop";
      source += name + " hund .\n";
      target += name + " katze .\n";
    }
    options_.train = {test::write_pairs(folder_, "x", source, target)};
    options_.train[0].tag = "<t>";
    pairs_.resize(40);
    std::iota(pairs_.begin(), pairs_.end(), 0);
  }

  /// Reads the text with a tokenizer for it.
  void read(text::PieceOrder order = text::PieceOrder::kReading) {
    text::TokenizerOptions tokenizer;
    tokenizer.vocabulary = 120;
    const auto models = tokenizer_models(tokenizer, options_);
    const auto file = folder_.write("x.model", models.at(0));
    source_.emplace(file, false);
    target_.emplace(file, false, order);
    corpus_.emplace(read_training_text(options_, {*source_, *target_}).corpus);
  }
  [[nodiscard]] CutPairs cut(uint64_t epoch = 0, double alpha = 0.0) const {
    return PairSampler({*source_, *target_}, options_, alpha, 1).cut(*corpus_, pairs_, epoch);
  }
  [[nodiscard]] std::string source(const CutPairs& cut, std::size_t pair) const {
    return source_->decode(cut.sources.at(0).at(pair));
  }
  [[nodiscard]] std::string target(const CutPairs& cut, std::size_t pair) const {
    return target_->decode(cut.targets.at(pair));
  }

  test::TempDir folder_;
  DataOptions options_;
  std::optional<text::Tokenizer> source_, target_;
  std::optional<ParallelCorpus> corpus_;
  std::vector<int64_t> pairs_;
};

TEST_F(AugmentedPairs, AreInCapitalsOnBothSidesBehindTheTag) {
  options_.augment.upper_case = 1.0;
  read();
  const CutPairs all = cut();
  EXPECT_EQ(source(all, 0), "<t> AMNOP HUND .");
  EXPECT_EQ(target(all, 0), "AMNOP KATZE .");
  EXPECT_EQ(all.sources.at(0)[0].front(), *source_->find("<t>"));
  EXPECT_LT(all.targets[0].size(), 8U);  // the tokenizer knows "KATZE"
}

TEST_F(AugmentedPairs, LoseTheFinalMarkOnBothSides) {
  options_.augment.no_final_mark = 1.0;
  read();
  EXPECT_EQ(source(cut(), 3), "<t> dmnop hund");
  EXPECT_EQ(target(cut(), 3), "dmnop katze");
}

TEST_F(AugmentedPairs, AreJoinedWithTheNextPairUnderOneTag) {
  options_.augment.two_sentences = 1.0;
  read();
  const CutPairs all = cut();
  EXPECT_EQ(source(all, 0), "<t> amnop hund . bmnop hund .");
  EXPECT_EQ(target(all, 0), "amnop katze . bmnop katze .");
  EXPECT_EQ(target(all, 39), "tmnop katze . amnop katze .");
}

TEST_F(AugmentedPairs, AreJoinedInReadingOrderIfTheTargetIsReversed) {
  options_.augment.two_sentences = 1.0;
  read(text::PieceOrder::kReversed);
  EXPECT_EQ(target(cut(), 0), "amnop katze . bmnop katze .");
}

TEST_F(AugmentedPairs, KeepTheirTextIfASideWouldBeTooLong) {
  options_.augment.two_sentences = 1.0;
  read();
  options_.max_length = corpus_->source_length(0) * 2 - 2;
  const CutPairs all = cut();
  EXPECT_EQ(source(all, 0), "<t> amnop hund .");
  EXPECT_EQ(target(all, 0), "amnop katze .");
}

TEST_F(AugmentedPairs, ChangeWithTheEpochAndNotWithTheBatch) {
  options_.augment.upper_case = 0.5;
  read();
  const CutPairs all = cut(3);
  EXPECT_NE(cut(4).targets, all.targets);
  const auto in_capitals = std::ranges::count_if(pairs_, [&](int64_t pair) {
    return target(all, static_cast<std::size_t>(pair)).ends_with("KATZE .");
  });
  EXPECT_GT(in_capitals, 8);
  EXPECT_LT(in_capitals, 32);
  const std::vector<int64_t> some = {30, 2};
  const CutPairs few = PairSampler({*source_, *target_}, options_, 0.0, 1).cut(*corpus_, some, 3);
  EXPECT_EQ(few.targets[0], all.targets[30]);
  EXPECT_EQ(few.targets[1], all.targets[2]);
}

TEST_F(AugmentedPairs, AreCutAnewBySampling) {
  options_.augment.upper_case = 1.0;
  read();
  const CutPairs usual = cut(0), sampled = cut(0, 0.5);
  EXPECT_NE(sampled.targets, usual.targets);
  for (std::size_t pair = 0; pair < 40; ++pair)
    EXPECT_EQ(target(sampled, pair), target(usual, pair));
}

}  // namespace
}  // namespace attend::data
