#include "data/pair_protection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "config/load.h"
#include "core/error.h"
#include "data/corpus_cache.h"
#include "data/dev_set.h"
#include "data/pair_reader.h"
#include "data/pair_sampler.h"
#include "data/tokenizer_models.h"
#include "tests/data/toy_corpus.h"
#include "text/placeholders.h"

namespace attend::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

text::ProtectOptions everything() {
  return {.kinds = {text::ProtectedKind::all}, .patterns = {}, .share = 1.0};
}

LinePair protect(std::string source, std::string target,
                 ProtectedParts parts = ProtectedParts::kAll) {
  text::ProtectOptions options = everything();
  options.patterns = {"Foo Bar"};
  PairProtection(options).protect(source, target, parts);
  return {source, target};
}

TEST(PairProtection, NumbersWhatBothSidesHaveByItsOrderInTheSource) {
  const LinePair pair = protect("Copy %s to {0} in 5 s", "In 5 s %s nach {0} kopieren");
  EXPECT_EQ(pair.source, "Copy \u27E61\u27E7 to \u27E62\u27E7 in \u27E63\u27E7 s");
  EXPECT_EQ(pair.target, "In \u27E63\u27E7 s \u27E61\u27E7 nach \u27E62\u27E7 kopieren");
}

TEST(PairProtection, LeavesWhatOneSideHasOftener) {
  const LinePair pair = protect("5 of 5 and 7 in 1,000.5", "5 von f\u00FCnf und 7 in 1.000,5");
  EXPECT_EQ(pair.source, "5 of 5 and \u27E61\u27E7 in 1,000.5");
  EXPECT_EQ(pair.target, "5 von f\u00FCnf und \u27E61\u27E7 in 1.000,5");
}

TEST(PairProtection, LeavesPartsWithBlanksWhereWordsAreLinked) {
  EXPECT_EQ(protect("Foo Bar 5", "5 Foo Bar").target, "\u27E62\u27E7 \u27E61\u27E7");
  EXPECT_EQ(protect("Foo Bar 5", "5 Foo Bar", ProtectedParts::kInsideWords).target,
            "\u27E61\u27E7 Foo Bar");
}

TEST(PairProtection, IsDrawnForAShareOfTheLines) {
  text::ProtectOptions options = everything();
  options.share = 0.3;
  const PairProtection protection(options);
  int64_t protected_lines = 0;
  for (int64_t line = 1; line <= 10'000; ++line) protected_lines += protection.has(line) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(protected_lines), 3000.0, 150.0);
  EXPECT_FALSE(PairProtection({}).has(1));
}

/// Pairs "(K) word" with the number K of the line, and tokenizers trained on them.
class ProtectedPairs : public ::testing::Test {
 protected:
  ProtectedPairs() {
    std::string source, target;
    for (int i = 0; i < 40; ++i) {
      source += fmt::format("({}) Hund %s\n", 100 + i);
      target += fmt::format("%s Katze ({})\n", 100 + i);
    }
    options_.train = {test::write_pairs(folder_, "x", source, target)};
    options_.protect = everything();
    pairs_.resize(40);
    std::iota(pairs_.begin(), pairs_.end(), 0);
  }
  void read(text::TokenizerType type = text::TokenizerType::bpe, bool joint = true) {
    text::TokenizerOptions tokenizer;
    tokenizer.type = type;
    tokenizer.joint = joint;
    tokenizer.vocabulary = 60;
    const auto models = tokenizer_models(tokenizer, options_);
    source_.emplace(folder_.write("source.model", models.front()), options_.lowercase);
    target_.emplace(folder_.write("target.model", models.back()), options_.lowercase);
    corpus_.emplace(read_training_text(options_, {*source_, *target_}).corpus);
  }
  [[nodiscard]] CutPairs cut(double alpha = 0.0) const {
    return PairSampler({*source_, *target_}, options_, alpha, 1).cut(*corpus_, pairs_, 0);
  }

  test::TempDir folder_;
  DataOptions options_;
  std::optional<text::Tokenizer> source_, target_;
  std::optional<ParallelCorpus> corpus_;
  std::vector<int64_t> pairs_;
};

TEST_F(ProtectedPairs, HavePlaceholdersAsPiecesWithEveryTokenizer) {
  for (const auto type :
       {text::TokenizerType::bpe, text::TokenizerType::unigram, text::TokenizerType::character}) {
    for (const bool joint : {true, false}) {
      options_.lowercase = joint;
      read(type, joint);
      const auto ids = text::placeholder_ids(*source_);
      ASSERT_EQ(ids.size(), text::kPlaceholders);
      EXPECT_EQ(std::ranges::count(corpus_->source(7), ids[0]), 1);
      EXPECT_EQ(std::ranges::count(corpus_->target(7), text::placeholder_ids(*target_)[1]), 1);
      EXPECT_EQ(source_->decode(corpus_->source(7)), joint ? "(\u27E61\u27E7) hund \u27E62\u27E7"
                                                           : "(\u27E61\u27E7) Hund \u27E62\u27E7");
    }
  }
}

TEST_F(ProtectedPairs, KeepTheirPlaceholdersInSampledPieces) {
  for (const auto type : {text::TokenizerType::bpe, text::TokenizerType::unigram}) {
    read(type);
    const auto ids = text::placeholder_ids(*source_);
    const CutPairs sampled = cut(0.5);
    for (const auto& source : sampled.sources.front()) {
      EXPECT_EQ(std::ranges::count(source, ids[0]), 1);
      EXPECT_EQ(std::ranges::count(source, ids[1]), 1);
    }
  }
}

TEST_F(ProtectedPairs, ThatAreJoinedGetFurtherNumbers) {
  options_.augment.two_sentences = 1.0;
  read();
  EXPECT_EQ(source_->decode(cut().sources.front()[3]),
            "(\u27E61\u27E7) Hund \u27E62\u27E7 (\u27E63\u27E7) Hund \u27E64\u27E7");
  EXPECT_EQ(target_->decode(cut().targets[3]),
            "\u27E62\u27E7 Katze (\u27E61\u27E7) \u27E64\u27E7 Katze (\u27E63\u27E7)");
}

TEST_F(ProtectedPairs, AreNotJoinedWithMoreThanAllPlaceholders) {
  std::string line;
  for (int i = 0; i < 9; ++i) line += fmt::format("{} ", 10 + i);
  options_.train = {
      test::write_pairs(folder_, "y", line + "\n" + line + "\n", line + "\n" + line + "\n")};
  options_.augment.two_sentences = 1.0;
  read();
  pairs_ = {0, 1};
  EXPECT_EQ(cut().sources.front()[0], corpus_->source(0));
}

TEST_F(ProtectedPairs, NeedATokenizerWithPlaceholders) {
  const text::Tokenizer bpe = test::bpe_tokenizer(folder_);
  EXPECT_THAT(
      [&] {
        (void)read_training_text(options_, {bpe, bpe});
      },
      ThrowsMessage<ConfigError>(
          HasSubstr("data.protect: the source tokenizer has no pieces for the placeholders")));
}

TEST_F(ProtectedPairs, OfAnotherChoiceHaveAnotherCache) {
  const auto keys = [this] {
    return std::pair(corpus_key(options_, {}), tokenizer_key(options_, {}));
  };
  const auto before = keys();
  options_.protect.share = 0.5;
  const auto shared = keys();
  EXPECT_NE(shared.first, before.first);
  EXPECT_NE(shared.second, before.second);
  options_.protect.patterns = {"a"};
  EXPECT_NE(keys().first, shared.first);
  options_.protect = {};
  EXPECT_NE(keys().second, before.second);
}

TEST_F(ProtectedPairs, OfTheValidationSetAreAllProtected) {
  options_.protect.share = 0.1;
  read();
  const DevSet dev = read_dev_set(test::write_pairs(folder_, "dev", "Hund 5\n", "5 Katze\n"), 50,
                                  {*source_, *target_}, options_.protect);
  EXPECT_EQ(std::ranges::count(dev.pairs.source(0), text::placeholder_ids(*source_)[0]), 1);
  EXPECT_EQ(std::ranges::count(dev.pairs.target(0), text::placeholder_ids(*target_)[0]), 1);
}

// Symptom: validation scored "⟦1⟧" against "⟦1⟧", whatever stood there.
TEST_F(ProtectedPairs, OfTheValidationSetAreScoredAgainstTheLinesOfTheFile) {
  read();
  const DevSet dev = read_dev_set(test::write_pairs(folder_, "dev", "Hund 5\n", "5 Katze\n"), 50,
                                  {*source_, *target_}, options_.protect);
  EXPECT_EQ(dev.sources.front().front(), "Hund 5");
  EXPECT_EQ(dev.reference.front(), "5 Katze");
}

TEST(ProtectOptions, AreRefusedForSeveralSources) {
  const test::TempDir folder;
  EXPECT_THAT(
      [&] {
        (void)config::load<DataOptions>(
            folder.write("c.yaml",
                         "train: {source: {a: /a, b: /b}, target: /c}\nprotect: {kinds: urls}"),
            {});
      },
      ThrowsMessage<ConfigError>(HasSubstr("there are several")));
}

}  // namespace
}  // namespace attend::data
