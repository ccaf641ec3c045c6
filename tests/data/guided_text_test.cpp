// Word links on their way into batches, through the readers of the training text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "core/error.h"
#include "data/batching.h"
#include "data/corpus_reader.h"
#include "data/guide_reader.h"
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
  /// The message of the DataError that reading ends with.
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

// data.reverse_target: row t belongs to the piece that the model writes in step t.
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

/// What the goals of a batch of one pair say, summed over the pieces of each word: the words of a
/// target word's pieces, with their shares. Words of pieces are counted by their leading "▁".
std::map<std::pair<std::size_t, std::size_t>, float> word_goals(const text::Tokenizer& tokenizer,
                                                                const ParallelCorpus& corpus) {
  const auto words = [&](const std::vector<text::TokenId>& ids) {
    std::vector<std::size_t> word;
    std::size_t count = 0;
    for (const text::TokenId id : ids) {
      count += tokenizer.piece(id).starts_with("▁") ? 1 : 0;
      word.push_back(count - 1);
    }
    return word;
  };
  const auto source = words(corpus.source(0)), target = words(corpus.target(0));
  const Batch batch = make_batch(corpus, std::vector<int64_t>{0});
  std::map<std::pair<std::size_t, std::size_t>, float> shares;
  for (std::size_t t = 0; t < target.size(); ++t) {
    const auto pieces = static_cast<float>(std::count(target.begin(), target.end(), target[t]));
    for (std::size_t s = 0; s < source.size(); ++s) {
      const auto share =
          batch.goals[0][static_cast<int64_t>(t)][static_cast<int64_t>(s)].item<float>();
      if (share > 0) shares[{target[t], source[s]}] += share / pieces;
    }
  }
  return shares;
}

TEST_F(GuidedText, GoalsFollowThePiecesOfEverySample) {
  const auto options = text("abcd fghi abc\n", "fghi abcde\n");
  const auto files = links("0-1 1-0\n");
  const auto plain = read_training_text(options, {bpe_, bpe_}, files).corpus;
  int different = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto sampled = resample(plain, options, {bpe_, bpe_}, 0.5, seed, files);
    different += sampled.source(0).size() != plain.source(0).size() ? 1 : 0;
    const auto goals = word_goals(bpe_, sampled);
    ASSERT_EQ(goals.size(), 2U) << "seed " << seed;
    EXPECT_NEAR(goals.at({0, 1}), 1.0F, 1e-6F) << "seed " << seed;
    EXPECT_NEAR(goals.at({1, 0}), 1.0F, 1e-6F) << "seed " << seed;
  }
  EXPECT_GT(different, 0);
}

TEST_F(GuidedText, SamplesTheSamePiecesWithAndWithoutLinks) {
  const auto options = text("abcd fghi abc\nfgh abcde\n", "fghi abcde\nabc\n");
  const auto files = links("0-1\n\n");
  const auto plain = read_training_text(options, {bpe_, bpe_}).corpus;
  const auto without = resample(plain, options, {bpe_, bpe_}, 0.5, 3);
  const auto with = resample(plain, options, {bpe_, bpe_}, 0.5, 3, files);
  ASSERT_EQ(with.size(), without.size());
  for (int64_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with.source(i), without.source(i));
    EXPECT_EQ(with.target(i), without.target(i));
  }
}

TEST_F(GuidedText, ALineThatSamplingMadeTooLongKeepsGoalsForItsUsualPieces) {
  auto options = text("abcd fghi abcd\n", "abcd fghi\n");
  const auto files = links("2-1\n");
  const auto plain = read_training_text(options, {bpe_, bpe_}, files).corpus;
  options.max_length = plain.source_length(0);  // any cut more is too long
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto sampled = resample(plain, options, {bpe_, bpe_}, 0.9, seed, files);
    ASSERT_LE(sampled.source_length(0), options.max_length);
    const auto goals = word_goals(bpe_, sampled);
    ASSERT_EQ(goals.size(), 1U) << "seed " << seed;
    EXPECT_NEAR(goals.at({1, 2}), 1.0F, 1e-6F) << "seed " << seed;
  }
}

}  // namespace
}  // namespace attend::data
