// data.terms: which words of a pair are marked, and what becomes of its links.
#include "data/pair_terms.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "config/load.h"
#include "core/error.h"
#include "data/batching.h"
#include "data/corpus_cache.h"
#include "data/corpus_reader.h"
#include "data/corpus_weights.h"
#include "data/tokenizer_models.h"
#include "tests/data/toy_corpus.h"
#include "text/term_marks.h"

namespace attend::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string marked(const std::string& source, const std::string& target, const align::Links& links,
                   int64_t line = 1) {
  return with_terms(source, target, links, line).text;
}

std::string term(const std::string& source, const std::string& target) {
  return fmt::format("\u27E6<\u27E7 {} \u27E6=\u27E7 {} \u27E6>\u27E7", source, target);
}

TEST(PairTerms, AreWordsThatAreLinkedToOnlyEachOther) {
  EXPECT_EQ(marked("a b c", "A B C", {{1, 2}}), "a " + term("b", "C") + " c");
  EXPECT_EQ(marked("a b c", "A B C", {{1, 2}, {1, 1}}), "a b c");
  EXPECT_EQ(marked("a b c", "A B C", {{1, 2}, {0, 2}}), "a b c");
  EXPECT_EQ(marked("a b c", "A B C", {}), "a b c");
}

TEST(PairTerms, HaveLettersAndNoPlaceholders) {
  EXPECT_EQ(marked("- 5 \u27E61\u27E7 d", ", 5 \u27E61\u27E7 D", {{0, 0}, {1, 1}, {2, 2}}),
            "- 5 \u27E61\u27E7 d");
}

TEST(PairTerms, LeaveTheMarksBesideWordsOut) {
  EXPECT_EQ(marked("(Hund), nein", "\u201EDog\u201C!", {{0, 0}}),
            "(" + term("Hund", "Dog") + "), nein");
}

TEST(PairTerms, JoinNeighboursOfBothSides) {
  std::set<std::string> seen;
  for (int64_t line = 1; line <= 200; ++line)
    seen.insert(marked("a b c d", "A B C D", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, line));
  EXPECT_TRUE(seen.contains(term("a b c", "A B C") + " d"));
  EXPECT_TRUE(seen.contains(term("a", "A") + " b c d"));
  EXPECT_TRUE(seen.contains(term("a b", "A B") + " " + term("c d", "C D")));
  EXPECT_FALSE(seen.contains(term("a b c d", "A B C D")));
  for (int64_t line = 1; line <= 50; ++line)  // no neighbours in the target
    EXPECT_EQ(marked("a b", "B A", {{0, 1}, {1, 0}}, line).find("a b"), std::string::npos);
}

TEST(PairTerms, AreOneToThreeInALine) {
  const std::string line = "a x b x c x d x e";
  std::set<std::size_t> counts;
  for (int64_t number = 1; number <= 100; ++number) {
    const std::string text = marked(line, line, {{0, 0}, {2, 2}, {4, 4}, {6, 6}, {8, 8}}, number);
    std::size_t count = 0;
    for (auto at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) ++count;
    counts.insert(count);
  }
  EXPECT_THAT(counts, ElementsAre(1, 2, 3));
}

TEST(PairTerms, MoveTheLinksOfTheirLine) {
  const std::string both = "(" + term("a", "A") + ") b \"" + term("c", "C") + "\" d";
  MarkedSource source;
  for (int64_t line = 1; line <= 20 && source.text != both; ++line)
    source = with_terms("(a) b \"c\" d", "A B C", {{0, 0}, {2, 2}}, line);
  ASSERT_EQ(source.text, both);
  // ( ⟦<⟧ | a | ⟦=⟧ | A | ⟦>⟧) | b | "⟦<⟧ | c | ⟦=⟧ | C | ⟦>⟧" | d
  EXPECT_THAT(source.words, ElementsAre(1, 5, 7, 11));
  EXPECT_EQ(in_marked({{0, 0}, {2, 2}, {3, 1}}, source), (align::Links{{1, 0}, {7, 2}, {11, 1}}));
}

class TermsOfText : public ::testing::Test {
 protected:
  TermsOfText() {
    options_.train = {test::write_pairs(folder_, "x", "a b\nc d\n", "e f\ng h\n")};
    options_.terms = {.links = {folder_.write("x.links", "0-1\n1-0\n").string()}, .share = 1.0};
  }
  /// Tokenizers for both sides, with pieces for the marks.
  text::Tokenizer tokenizer() {
    text::TokenizerOptions options;
    options.type = text::TokenizerType::character;
    options.vocabulary = 40;
    options.joint = true;
    const std::string model = tokenizer_models(options, options_).front();
    return text::Tokenizer(folder_.write("joint.model", model), false);
  }

  test::TempDir folder_;
  DataOptions options_;
};

TEST_F(TermsOfText, AreMarkedInItsSecondCopy) {
  const text::Tokenizer joint = tokenizer();
  ASSERT_TRUE(text::has_term_symbols(joint));
  const TrainingText text = read_training_text(options_, {joint, joint});
  const auto source = [&](int64_t i) {
    const auto ids = text.corpus.source(i);
    return joint.decode({ids.begin(), ids.end()});
  };
  ASSERT_EQ(text.corpus.size(), 4);
  EXPECT_EQ(source(0), "a b");
  EXPECT_EQ(source(1), "c d");
  EXPECT_EQ(source(2), term("a", "f") + " b");
  EXPECT_EQ(source(3), "c " + term("d", "g"));
  EXPECT_EQ(text.corpus.goals(), nullptr);
}

TEST_F(TermsOfText, AreDrawnAnewInEachEpoch) {
  const text::Tokenizer joint = tokenizer();
  options_.terms.share = 0.5;
  TrainingText text = read_training_text(options_, {joint, joint});
  set_weights(text, options_);
  std::set<int64_t> marked;
  for (uint64_t epoch = 1; epoch <= 20; ++epoch) {
    const auto pairs = pairs_of_epoch(text.corpus, 1, epoch);
    ASSERT_EQ(pairs.size(), 3);
    EXPECT_EQ(pairs[0], 0);
    EXPECT_EQ(pairs[1], 1);
    marked.insert(pairs[2]);
  }
  EXPECT_THAT(marked, ElementsAre(2, 3));
}

TEST_F(TermsOfText, LetLinksGuideTheTermItself) {
  const text::Tokenizer joint = tokenizer();
  const TrainingText text = read_training_text(options_, {joint, joint}, options_.terms.links);
  const Batch batch = make_batch(text.corpus, std::vector<int64_t>{2});
  const auto source = text.corpus.source(2);
  const auto goals_of = [&](const char* piece) {  // [T]
    const auto place = std::ranges::find(source, joint.find(piece)) - source.begin();
    return batch.goals[0].index({torch::indexing::Slice(), place}).sum().item<float>();
  };
  EXPECT_GT(goals_of("a"), 0.0F);
  EXPECT_EQ(goals_of("f"), 0.0F);
}

// Symptom: with data.terms, all counts of pairs were twice as large.
TEST_F(TermsOfText, AreNotCountedAsPairs) {
  options_.train = {test::write_pairs(folder_, "x", "a b\n\nc d\na\xFF\n", "e f\ng h\ng h\ne\n")};
  (void)folder_.write("x.links", "0-1\n\n1-0\n\n");
  const text::Tokenizer joint = tokenizer();
  testing::internal::CaptureStderr();
  const TrainingText text = read_training_text(options_, {joint, joint});
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.lines, 4);
  EXPECT_EQ(text.corpus.plain_size(), 3);
  EXPECT_EQ(text.corpus.size(), 6);
  EXPECT_EQ(text.empty.count, 1);
  EXPECT_EQ(text.repairs.size(), 1U);
  EXPECT_THAT(warnings, HasSubstr("skipped 1 training pair with an empty side"));
  save_corpus(folder_ / "kept", "key", text, {});
  EXPECT_EQ(load_corpus(folder_ / "kept", {"key", joint.size(), 1, false})->corpus.plain_size(), 3);
}

// Symptom: data.max_ratio dropped most copies, because their marks counted. "a b" has 4 pieces, and
// 12 with a marked term.
TEST_F(TermsOfText, DoNotCountForTheRatioOfLengths) {
  options_.max_ratio = 1.5;
  const text::Tokenizer joint = tokenizer();
  const TrainingText text = read_training_text(options_, {joint, joint});
  EXPECT_EQ(text.corpus.size(), 4);
  EXPECT_EQ(text.uneven.count, 0);
  const auto plain = text.corpus.source(0), marked = text.corpus.source(2);
  EXPECT_EQ(plain.size(), 4U);
  EXPECT_EQ(marked.size(), 12U);
  EXPECT_EQ(PlainLength(joint).of(plain), 4U);
  EXPECT_EQ(PlainLength(joint).of(marked), 4U);
}

// Symptom: a copy that was too long was reported as a pair that is missing.
TEST_F(TermsOfText, AreLeftOutAloneIfTheyAreTooLong) {
  options_.max_length = 8;
  const text::Tokenizer joint = tokenizer();
  const TrainingText text = read_training_text(options_, {joint, joint});
  EXPECT_EQ(text.corpus.size(), 2);
  EXPECT_EQ(text.corpus.plain_size(), 2);
  EXPECT_EQ(text.too_long.count, 0);
}

TEST_F(TermsOfText, NeedATokenizerWithMarks) {
  const text::Tokenizer words = test::word_tokenizer(folder_);
  EXPECT_THAT(
      [&] {
        (void)read_training_text(options_, {words, words});
      },
      ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("data.terms: the source tokenizer has no pieces for the marks"),
                HasSubstr("train a new tokenizer"))));
}

TEST_F(TermsOfText, OfAnotherChoiceHaveAnotherCache) {
  const auto keys = [this] {
    return std::pair(corpus_key(options_, {}), tokenizer_key(options_, {}));
  };
  const auto before = keys();
  options_.terms.share = 0.5;
  EXPECT_EQ(keys(), before);  // a weight of the same text
  (void)folder_.write("x.links", "0-0\n1-0\n1-1\n");
  EXPECT_NE(keys().first, before.first);
  EXPECT_EQ(keys().second, before.second);
  options_.terms = {};
  EXPECT_NE(keys().second, before.second);
}

TEST_F(TermsOfText, NeedLinksForEachPair) {
  (void)folder_.write("x.links", "0-1\n");
  const text::Tokenizer joint = tokenizer();
  EXPECT_THROW((void)read_training_text(options_, {joint, joint}), DataError);
}

}  // namespace
}  // namespace attend::data
