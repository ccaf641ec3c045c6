#include "data/corpus_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/error.h"
#include "data/batching.h"
#include "data/corpus_cache.h"
#include "data/tokenizer_models.h"
#include "tests/data/toy_corpus.h"
#include "text/tokenizer_training.h"

namespace attend::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Pairs 0 to 9 and 10 to 29.
ParallelCorpus two_parts(double first, double second) {
  ParallelCorpus corpus = test::corpus_of(std::vector<test::Lengths>(30, {3, 4}));
  corpus.set_parts({{10, first}, {30, second}});
  return corpus;
}

/// How often an epoch has each pair.
std::vector<int64_t> copies(const ParallelCorpus& corpus, uint64_t epoch) {
  std::vector<int64_t> counts(static_cast<std::size_t>(corpus.size()));
  for (const int64_t pair :
       plan_epoch(corpus, {.size = 4, .unit = BatchUnit::sentences}, 7, epoch).order)
    ++counts[static_cast<std::size_t>(pair)];
  return counts;
}

std::map<int64_t, int64_t> histogram(std::vector<int64_t> counts, std::size_t begin,
                                     std::size_t end) {
  std::map<int64_t, int64_t> result;
  for (std::size_t i = begin; i < end; ++i) ++result[counts[i]];
  return result;
}

// Weight 2.5: all 10 twice and 5 of them once more. Weight 0.3: 6 of 20.
TEST(CorpusWeights, AreCopiesAndADrawnShareOfTheRest) {
  const ParallelCorpus corpus = two_parts(2.5, 0.3);
  const auto counts = copies(corpus, 0);
  EXPECT_THAT(histogram(counts, 0, 10),
              ElementsAre(std::pair(int64_t{2}, int64_t{5}), std::pair(int64_t{3}, int64_t{5})));
  EXPECT_THAT(histogram(counts, 10, 30),
              ElementsAre(std::pair(int64_t{0}, int64_t{14}), std::pair(int64_t{1}, int64_t{6})));
  EXPECT_EQ(count_pairs_of_epoch(corpus), 31);
}

TEST(CorpusWeights, DrawDifferentPairsForEachEpoch) {
  const ParallelCorpus corpus = two_parts(2.5, 0.3);
  EXPECT_EQ(copies(corpus, 3), copies(corpus, 3));
  EXPECT_NE(copies(corpus, 3), copies(corpus, 4));
  std::vector<int64_t> sums(30);
  for (uint64_t epoch = 0; epoch < 60; ++epoch) {
    const auto counts = copies(corpus, epoch);
    for (std::size_t i = 0; i < 30; ++i) sums[i] += counts[i];
  }
  // Each of these pairs is drawn in 60 epochs with probability 0.3: 18 times +- 4 standard
  // deviations of 3.5.
  for (std::size_t i = 10; i < 30; ++i) EXPECT_NEAR(static_cast<double>(sums[i]), 18.0, 14.2) << i;
}

TEST(CorpusWeights, DoNotChangeTheEpochIfTheyAreOne) {
  ParallelCorpus corpus = test::corpus_of(test::natural_lengths(50));
  const auto plain = plan_epoch(corpus, {}, 7, 2).order;
  TrainingText text{std::move(corpus), 50, {50}};
  DataOptions options;
  options.train = {CorpusFiles("a", "b")};
  set_weights(text, options);
  EXPECT_TRUE(text.corpus.parts().empty());
  text.corpus.set_parts({{50, 1.0}});
  EXPECT_EQ(plan_epoch(text.corpus, {}, 7, 2).order, plain);
}

class TaggedText : public ::testing::Test {
 protected:
  /// Two texts; the second has a tag and weight 3.
  [[nodiscard]] DataOptions two_texts() {
    DataOptions options;
    options.train = {test::write_pairs(folder_, "x", "a b\n\nc\n", "d\ne\nf\n"),
                     test::write_pairs(folder_, "y", "a b\nd\n", "d\ne f g\n")};
    options.train[1].weight = 3.0;
    options.train[1].tag = "<bt>";
    return options;
  }
  [[nodiscard]] text::Tokenizer tokenizer(const DataOptions& options, text::TokenizerType type) {
    text::TokenizerOptions tokenizer;
    tokenizer.type = type;
    tokenizer.vocabulary = 100;
    const auto models = tokenizer_models(tokenizer, options);
    return {folder_.write("m.model", models.front()), false};
  }
  [[nodiscard]] static text::TokenId id(const text::Tokenizer& tokenizer) {
    return tokenizer.find("<bt>").value();
  }

  test::TempDir folder_;
};

TEST_F(TaggedText, HasItsTagBeforeEachSourceAsOnePiece) {
  const DataOptions options = two_texts();
  for (const auto type : enum_values<text::TokenizerType>()) {
    const text::Tokenizer pieces = tokenizer(options, type);
    const TrainingText text = read_training_text(options, {pieces, pieces});
    ASSERT_EQ(text.corpus.size(), 4);
    EXPECT_EQ(text.corpus.source(0), pieces.encode("a b")) << enum_name(type);
    auto expected = pieces.encode("a b");
    expected.insert(expected.begin(), id(pieces));
    EXPECT_EQ(text.corpus.source(2), expected) << enum_name(type);
    EXPECT_EQ(text.corpus.target(2), pieces.encode("d")) << enum_name(type);
    EXPECT_EQ(pieces.piece(id(pieces)), "<bt>");
    if (type == text::TokenizerType::word) continue;  // it has no pieces for parts of a word
    const auto inside = pieces.encode("a<bt>b");
    EXPECT_EQ(std::count(inside.begin(), inside.end(), id(pieces)), 1) << enum_name(type);
  }
}

TEST_F(TaggedText, CountsAsOftenAsItsWeightWithWhatIsSkippedLeftOut) {
  const DataOptions options = two_texts();
  const text::Tokenizer pieces = tokenizer(options, text::TokenizerType::word);
  TrainingText text = read_training_text(options, {pieces, pieces});
  EXPECT_THAT(text.ends, ElementsAre(3, 5));
  set_weights(text, options);
  EXPECT_THAT(copies(text.corpus, 0), ElementsAre(1, 1, 3, 3));
}

TEST_F(TaggedText, IsFilteredByTheLengthWithItsTagAndTheRatioWithout) {
  DataOptions options = two_texts();
  options.train[0].tag = "<bt>";
  const text::Tokenizer pieces = tokenizer(options, text::TokenizerType::word);
  options.max_length = 2;
  EXPECT_EQ(read_training_text(options, {pieces, pieces}).too_long.count, 3);  // a b, a b, e f g
  options.max_length = 9;
  options.max_ratio = 1.0;
  const TrainingText even = read_training_text(options, {pieces, pieces});
  EXPECT_EQ(even.empty.count, 1);
  EXPECT_EQ(even.uneven.count, 3);  // all but "c" and "f"
}

TEST_F(TaggedText, KeepsGoalsForAttentionBesideTheTag) {
  const DataOptions options = two_texts();
  const text::Tokenizer pieces = tokenizer(options, text::TokenizerType::word);
  const auto first = folder_.write("x.links", "0-0\n\n\n").string();
  const auto second = folder_.write("y.links", "1-0\n0-2\n").string();
  const TrainingText text = read_training_text(options, {pieces, pieces}, {first, second});
  std::vector<float> goals(3);
  text.corpus.goals()->fill(2, 1, goals.data(), 3);  // <bt> a b, whose second word is linked
  EXPECT_THAT(goals, ElementsAre(0.0F, 0.0F, 1.0F));
}

TEST_F(TaggedText, IsKeptWithItsEndsUnderAKeyOfItsOwn) {
  DataOptions options = two_texts();
  const text::Tokenizer pieces = tokenizer(options, text::TokenizerType::word);
  const TrainingText text = read_training_text(options, {pieces, pieces});
  const std::string key = corpus_key(options, {"m"});
  save_corpus(folder_ / "kept", key, text);
  const auto kept = load_corpus(folder_ / "kept", {key, pieces.size(), 1, false});
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->ends, text.ends);
  EXPECT_EQ(kept->corpus.source(3), text.corpus.source(3));
  options.train[1].weight = 1.0;
  EXPECT_EQ(corpus_key(options, {"m"}), key) << "weights do not change the kept ids";
  options.train[1].tag = "<other>";
  EXPECT_NE(corpus_key(options, {"m"}), key);
}

TEST_F(TaggedText, NeedsATokenizerThatKnowsTheTag) {
  DataOptions options = two_texts();
  const text::Tokenizer pieces = tokenizer(options, text::TokenizerType::word);
  options.train[1].tag = "<other>";
  EXPECT_THAT(
      [&] {
        (void)read_training_text(options, {pieces, pieces});
      },
      ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("no piece for the tag <other>"), HasSubstr("train a new tokenizer"))));
}

}  // namespace
}  // namespace attend::data
