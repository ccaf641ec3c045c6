// Word links from the files of the training text to the goals of batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "data/batching.h"
#include "data/corpus_reader.h"
#include "data/guide_reader.h"
#include "data/pair_sampler.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class GuidedText : public ::testing::Test {
 protected:
  DataOptions text(const std::string& source, const std::string& target) {
    DataOptions options;
    options.train = {test::write_pairs(folder_, "x", source, target)};
    return options;
  }
  std::vector<std::string> links(const std::string& content) {
    return {folder_.write("x.links", content).string()};
  }
  TrainingText read(const DataOptions& options, const std::vector<std::string>& links) {
    return read_training_text(options, {words_, words_}, links);
  }
  /// The message of the DataError that reading throws.
  std::string message(const std::string& content) {
    try {
      (void)read(text("a b\nc\n", "d\ne f g\n"), links(content));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  test::TempDir folder_;
  text::Tokenizer words_ = test::word_tokenizer(folder_);
  text::Tokenizer bpe_ = test::bpe_tokenizer(folder_);
};

torch::Tensor rows(const std::vector<float>& values, int64_t columns) {
  return torch::tensor(values).view({-1, columns});
}

TEST_F(GuidedText, GivesBatchesGoalsInTheirOrder) {
  const auto data = read(text("a b\nc d e\n", "f g\nh\n"), links("0-1 1-0\n2-0\n"));
  const std::vector<int64_t> pairs = {0, 1};
  const Batch batch = make_batch(data.corpus, pairs);  // the longer source first
  ASSERT_EQ(batch.goals.sizes().vec(), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_TRUE(torch::equal(batch.goals[0], rows({0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 4)));
  EXPECT_TRUE(torch::equal(batch.goals[1], rows({0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, 4)));
}

// With data.reverse_target row t belongs to the piece that the model writes in step t.
TEST_F(GuidedText, FollowsATargetThatIsWrittenFromTheEnd) {
  const text::Tokenizer reversed(folder_ / "word.model", false, text::PieceOrder::kReversed);
  const auto data =
      read_training_text(text("a b\n", "f g h\n"), {words_, reversed}, links("0-0 1-2\n"));
  const Batch batch = make_batch(data.corpus, std::vector<int64_t>{0});
  EXPECT_TRUE(torch::equal(batch.goals[0], rows({0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, 3)));
}

TEST_F(GuidedText, HasNoGoalsWithoutLinks) {
  const auto data = read(text("a\n", "b\n"), {});
  EXPECT_EQ(data.corpus.goals(), nullptr);
  EXPECT_FALSE(make_batch(data.corpus, std::vector<int64_t>{0}).goals.defined());
}

TEST_F(GuidedText, SkipsTheLinksOfSkippedPairs) {
  auto options = text("a b c\na b\n\nc d\n", "a\na b\n\nc d\n");
  options.max_length = 2;
  const auto data = read(options, links("2-0\n0-0\n\n1-1\n"));
  ASSERT_EQ(data.corpus.size(), 2);
  const Batch batch = make_batch(data.corpus, std::vector<int64_t>{1});
  EXPECT_TRUE(torch::equal(batch.goals[0], rows({0, 0, 0, 0, 1, 0, 0, 0, 0}, 3)));
}

TEST_F(GuidedText, ReadsAFileOfLinksForEveryPairOfFiles) {
  auto options = text("a\n", "a\n");
  options.train.push_back(test::write_pairs(folder_, "y", "a b\n", "c\n"));
  auto files = links("0-0\n");
  files.push_back(folder_.write("y.links", "1-0\n").string());
  const auto data = read(options, files);
  const Batch batch = make_batch(data.corpus, std::vector<int64_t>{1});
  EXPECT_TRUE(torch::equal(batch.goals[0], rows({0, 1, 0, 0, 0, 0}, 3)));
}

TEST_F(GuidedText, NamesPlaceAndSizesOfALinkOutsideThePair) {
  EXPECT_THAT(message("0-0\n0-2 1-0\n"), AllOf(HasSubstr("x.links:2:5: "), HasSubstr("1-0"),
                                               HasSubstr("source"), HasSubstr("1 word")));
}

TEST_F(GuidedText, NamesThePlaceOfWhatIsNoLink) {
  EXPECT_THAT(message("0-0 1=0\n\n"), AllOf(HasSubstr("x.links:1:5: "), HasSubstr("\"1=0\"")));
}

TEST_F(GuidedText, NamesBothCountsWhereTheyDiffer) {
  EXPECT_THAT(message("0-0\n"),
              AllOf(HasSubstr("x.links has 1 lines"), HasSubstr("x.source has 2")));
  EXPECT_THAT(message("0-0\n\n\n"),
              AllOf(HasSubstr("x.links has 3 lines"), HasSubstr("x.source has 2")));
}

using Shares = std::map<std::pair<std::size_t, std::size_t>, float>;

/// The word of each piece, counted by the leading "▁".
std::vector<std::size_t> words_of(const text::Tokenizer& tokenizer,
                                  const std::vector<text::TokenId>& ids) {
  std::vector<std::size_t> word;
  std::size_t count = 0;
  for (const text::TokenId id : ids) {
    count += tokenizer.piece(id).starts_with("▁") ? 1 : 0;
    word.push_back(count - 1);
  }
  return word;
}

/// A one-pair corpus with links, and what sampling makes of it.
class SampledGoals : public GuidedText {
 protected:
  void read_pair(const std::string& source, const std::string& target, const std::string& links) {
    options_ = text(source, target);
    corpus_.emplace(
        read_training_text(options_, {bpe_, target_pieces()}, this->links(links)).corpus);
  }
  [[nodiscard]] CutPairs sample(double alpha, uint64_t epoch) const {
    return PairSampler({bpe_, target_pieces()}, options_, alpha, 1).cut(*corpus_, kPair, epoch);
  }
  /// The shares of {target word, source word} in the goals of a batch, averaged over the pieces of
  /// the target word.
  [[nodiscard]] Shares word_goals(const CutPairs& cut) const {
    const auto source = words_of(bpe_, cut.sources.at(0).at(0));
    const auto target = words_of(bpe_, cut.targets.at(0));
    const Batch batch = make_batch(*corpus_, kPair, cut);
    Shares shares;
    for (std::size_t t = 0; t < target.size(); ++t) {
      const auto pieces = static_cast<float>(std::ranges::count(target, target[t]));
      for (std::size_t s = 0; s < source.size(); ++s) {
        const auto share =
            batch.goals[0][static_cast<int64_t>(t)][static_cast<int64_t>(s)].item<float>();
        if (share > 0) shares[{target[t], source[s]}] += share / pieces;
      }
    }
    return shares;
  }
  [[nodiscard]] virtual const text::Tokenizer& target_pieces() const { return bpe_; }

  static inline const std::vector<int64_t> kPair = {0};
  DataOptions options_;
  std::optional<ParallelCorpus> corpus_;
};

TEST_F(SampledGoals, FollowThePiecesOfEveryEpoch) {
  read_pair("abcd fghi abc\n", "fghi abcde\n", "0-1 1-0\n");
  int different = 0;
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    const CutPairs cut = sample(0.5, epoch);
    different += cut.sources[0][0].size() != corpus_->source(0).size() ? 1 : 0;
    const Shares goals = word_goals(cut);
    ASSERT_EQ(goals.size(), 2U) << "epoch " << epoch;
    EXPECT_NEAR(goals.at({0, 1}), 1.0F, 1e-6F) << "epoch " << epoch;
    EXPECT_NEAR(goals.at({1, 0}), 1.0F, 1e-6F) << "epoch " << epoch;
  }
  EXPECT_GT(different, 0);
}

TEST_F(SampledGoals, KeepUnknownCharactersApart) {
  read_pair("abc 中 fghi\n", "fghi 文 abc\n", "0-2 1-1 2-0\n");
  int different = 0;
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    const CutPairs cut = sample(0.5, epoch);
    different += cut.targets[0].size() != corpus_->target(0).size() ? 1 : 0;
    const Batch batch = make_batch(*corpus_, kPair, cut);
    // Every target piece has a goal, and the end symbol none.
    const auto rows = static_cast<int64_t>(cut.targets[0].size());
    const torch::Tensor sums = batch.goals[0].sum(1);
    EXPECT_TRUE(torch::allclose(sums.narrow(0, 0, rows), torch::ones({rows})));
    EXPECT_EQ(sums[rows].item<float>(), 0.0F);
    const auto of_unknown = std::ranges::find(cut.targets[0], text::kUnk) - cut.targets[0].begin();
    const auto unknown = std::ranges::find(cut.sources[0][0], text::kUnk);
    const auto column = unknown - cut.sources[0][0].begin();
    EXPECT_GT(batch.goals[0][of_unknown][column].item<float>(), 0.0F);
  }
  EXPECT_GT(different, 0);
}

TEST_F(SampledGoals, AreThoseOfTheUsualPiecesWhereSamplingMadeALineTooLong) {
  read_pair("abcd fghi abcd\n", "abcd fghi\n", "2-1\n");
  options_.max_length = corpus_->source_length(0);
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    const CutPairs cut = sample(0.9, epoch);
    ASSERT_LE(static_cast<int64_t>(cut.sources[0][0].size()), options_.max_length);
    const Shares goals = word_goals(cut);
    ASSERT_EQ(goals.size(), 1U) << "epoch " << epoch;
    EXPECT_NEAR(goals.at({1, 2}), 1.0F, 1e-6F) << "epoch " << epoch;
  }
}

TEST_F(SampledGoals, FollowTheWordsOfAChangedSource) {
  read_pair("abcd fghi abc\n", "fghi abcde\n", "0-1 1-0\n");
  options_.augment.typos = 1.0;
  int different = 0;
  for (uint64_t epoch = 0; epoch < 16; ++epoch) {
    const CutPairs cut = sample(0.5, epoch);
    different += bpe_.decode(cut.sources[0][0]) != "abcd fghi abc" ? 1 : 0;
    const Shares goals = word_goals(cut);
    ASSERT_EQ(goals.size(), 2U) << "epoch " << epoch;
    EXPECT_NEAR(goals.at({0, 1}), 1.0F, 1e-6F) << "epoch " << epoch;
    EXPECT_NEAR(goals.at({1, 0}), 1.0F, 1e-6F) << "epoch " << epoch;
  }
  EXPECT_GT(different, 8);
}

TEST_F(SampledGoals, NeedTheOriginsOfThePieces) {
  read_pair("abcd\n", "abcd\n", "0-0\n");
  CutPairs cut = sample(0.5, 0);
  cut.origins.clear();
  EXPECT_THROW((void)make_batch(*corpus_, kPair, cut), std::logic_error);
}

TEST_F(SampledGoals, DoNotChangeThePieces) {
  read_pair("abcd fghi abc\n", "fghi abcde\n", "0-1\n");
  const CutPairs with = sample(0.5, 3);
  corpus_.emplace(read_training_text(options_, {bpe_, bpe_}).corpus);
  const CutPairs without = sample(0.5, 3);
  EXPECT_EQ(with.sources, without.sources);
  EXPECT_EQ(with.targets, without.targets);
  EXPECT_TRUE(without.origins.empty());
}

/// data.reverse_target: the model writes the last piece first.
class SampledReversedGoals : public SampledGoals {
 protected:
  [[nodiscard]] const text::Tokenizer& target_pieces() const override { return reversed_; }

 private:
  text::Tokenizer reversed_{folder_ / "bpe.model", false, text::PieceOrder::kReversed};
};

TEST_F(SampledReversedGoals, FollowTheOrderOfTheTarget) {
  read_pair("abcd fghi\n", "fghi abcd\n", "0-1\n");
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    const CutPairs cut = sample(0.5, epoch);
    const torch::Tensor goals = make_batch(*corpus_, kPair, cut).goals[0];
    const torch::Tensor sums = goals.sum(1);
    int64_t count = 0;  // pieces of "abcd", which come first
    while (!bpe_.piece(cut.targets[0].at(static_cast<std::size_t>(count++))).starts_with("▁")) {
    }
    EXPECT_TRUE(torch::allclose(sums.narrow(0, 0, count), torch::ones({count})));
    EXPECT_EQ(sums.sum().item<float>(), static_cast<float>(count));
  }
}

}  // namespace
}  // namespace attend::data
