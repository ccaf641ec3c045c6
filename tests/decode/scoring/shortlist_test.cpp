#include "decode/scoring/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "core/error.h"
#include "decode/scoring/candidates.h"
#include "decode/search/scored_tokens.h"
#include "tests/support/gzip.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer_training.h"

namespace attend::decode {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr float kNever = -std::numeric_limits<float>::infinity();

TEST(Shortlist, HasSpecialSymbolsTheFrequentTheLikelyAndThePrefix) {
  const Shortlist shortlist(20, {9, 6}, {{}, {}, {}, {}, {}, {12, 6}, {5}});

  EXPECT_THAT(shortlist.candidates(std::vector{5, text::kEos}, {}),
              ElementsAre(0, 1, 2, 3, 6, 9, 12));
  EXPECT_THAT(shortlist.candidates(std::vector{6, 5}, std::vector{19, 5}),
              ElementsAre(0, 1, 2, 3, 5, 6, 9, 12, 19));
  EXPECT_THAT(shortlist.candidates(std::vector{7, 700}, {}), ElementsAre(0, 1, 2, 3, 6, 9));
}

TEST(Shortlist, OfPiecesOutsideTheVocabularyIsABug) {
  EXPECT_THROW(Shortlist(20, {20}, {}), std::logic_error);
  EXPECT_THROW(Shortlist(20, {}, {{4}, {-1}}), std::logic_error);
  EXPECT_THROW((void)Shortlist(20, {}, {}).candidates({}, std::vector{20}), std::out_of_range);
}

TEST(Candidates, AreTheUnionAndKnowWhoseTheyAre) {
  const Candidates joined = join_candidates({{0, 1, 2, 3, 7}, {0, 1, 2, 3, 5, 9}});

  EXPECT_TRUE(torch::equal(joined.ids, torch::tensor({0, 1, 2, 3, 5, 7, 9}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(joined.columns,
                           torch::tensor({{0, 1, 2, 3, 5, -1}, {0, 1, 2, 3, 4, 6}}, torch::kInt)));
}

TEST(ScoredTokens, AreEachRowsOwn) {
  const ScoredTokens scored({{0, 1, 2, 3, 7}, {0, 1, 2, 3, 5, 9}}, 10);
  const std::vector<Row> rows{{.sentence = 1}, {.sentence = 0}};
  EXPECT_THAT(scored.columns_of({9, 7}, rows), ElementsAre(5, 4));
  EXPECT_THROW((void)scored.columns_of({7, 7}, rows), std::logic_error);

  // The first sentence has no sixth candidate.
  RowScores scores{
      .width = 2, .tokens = {5, 4, 4, 5}, .log_probs = {}, .best = {4, 3}, .wanted = {}};
  scored.to_tokens(scores, rows);
  EXPECT_THAT(scores.tokens, ElementsAre(9, 5, 7, text::kEos));
  EXPECT_THAT(scores.best, ElementsAre(5, 3));
}

/// Tokenizers of the words a b c and w x y z, and tables for them.
class ReadShortlist : public ::testing::Test {
 protected:
  static text::Tokenizer words(const attend::test::TempDir& dir, const std::string& name,
                               const std::string& text) {
    text::TokenizerOptions options;
    options.type = text::TokenizerType::word;
    options.vocabulary = 20;
    std::optional<std::string> line = text;
    const auto next = [&line] { return std::exchange(line, std::nullopt); };
    return {dir.write(name, text::train_tokenizer(options, false, next)), false};
  }

  [[nodiscard]] Shortlist read(const std::string& table,
                               const ShortlistSizes& sizes = {2, 1}) const {
    return read_shortlist(dir_.write("lex", table), source_, target_, sizes);
  }
  [[nodiscard]] std::vector<std::string> candidates(const Shortlist& shortlist,
                                                    const std::string& line) const {
    std::vector<std::string> pieces;
    for (const text::TokenId token : shortlist.candidates(source_.encode(line), {})) {
      if (token >= text::kSpecialSymbols) pieces.push_back(target_.piece(token));
    }
    std::sort(pieces.begin(), pieces.end());
    return pieces;
  }
  void expect_fault(const std::string& table, const std::string& place, const std::string& what) {
    EXPECT_THAT([&] { (void)read(table); },
                ThrowsMessage<DataError>(AllOf(HasSubstr(place), HasSubstr(what))))
        << table;
  }

  attend::test::TempDir dir_;
  text::Tokenizer source_ = words(dir_, "source.model", "a b c");
  text::Tokenizer target_ = words(dir_, "target.model", "w x y z");
};

const std::string kTable =
    "▁w NULL 0.5\n▁x NULL 0.4\n▁y NULL 0.1\n"
    "▁x ▁a 0.1\n▁z ▁a 0.9\n▁y ▁b 1e-3\n▁w ▁b 0.002\n";

TEST_F(ReadShortlist, TakesTheMostFrequentAndTheMostProbable) {
  EXPECT_THAT(candidates(read(kTable), "a"), ElementsAre("▁w", "▁x", "▁z"));
  EXPECT_THAT(candidates(read(kTable, {0, 1}), "a"), ElementsAre("▁z"));
  EXPECT_THAT(candidates(read(kTable, {0, 1}), "b"), ElementsAre("▁w"));
  EXPECT_THAT(candidates(read(kTable, {0, 2}), "b a"), ElementsAre("▁w", "▁x", "▁y", "▁z"));
  EXPECT_THAT(candidates(read(kTable, {1, 0}), "a b c"), ElementsAre("▁w"));
  EXPECT_THAT(candidates(read(kTable, {1, 2}), "c unknown"), ElementsAre("▁w"));
}

TEST_F(ReadShortlist, TakesCompressedTables) {
  const auto file = dir_.write("lex.gz", attend::test::gzip(kTable));
  EXPECT_THAT(candidates(read_shortlist(file, source_, target_, {2, 1}), "a"), SizeIs(3));
}

TEST_F(ReadShortlist, NamesTheLineOfEveryFault) {
  for (const char* line : {"▁x ▁a", "▁x", "", "▁x ▁a 0.5 9", "▁x  ▁a 0.5", " ▁a 0.5", "▁x ▁a 0.5x",
                           "▁x ▁a nan", "▁x ▁a -0.1", "▁x ▁a 1.1", "▁x ▁a ", "▁x\t▁a\t0.5"}) {
    expect_fault(kTable + line + "\n", "lex:8: ", "expected lines \"TARGET SOURCE P\"");
  }
  expect_fault("▁q NULL 0.5\n", "lex:1: ", "no target piece \"▁q\"");
  expect_fault(kTable + "▁x ▁q 0.5\n", "lex:8: ", "no source piece \"▁q\"");
  expect_fault(kTable + "▁x ▁a 0.2\n", "lex:8: ", "\"▁x\" occurs twice");
  expect_fault(kTable + "▁x NULL 0.2\n", "lex:8: ", "\"▁x\" occurs twice");
}

TEST_F(ReadShortlist, RefusesATableThatIsEmptyOrDoesNotSayWhatIsFrequent) {
  expect_fault("", "lex: ", "is empty");
  expect_fault("▁x ▁a 0.5\n", "lex: ", "no line with the source NULL");
  EXPECT_THAT(candidates(read("▁x ▁a 0.5\n", {0, 1}), "a"), ElementsAre("▁x"));
  EXPECT_THAT(
      [&] {
        (void)read_shortlist(dir_ / "none", source_, target_, {2, 1});
      },
      ThrowsMessage<DataError>(HasSubstr("none")));
}

TEST_F(ReadShortlist, RefusesSizesThatLeaveNothingOrEverything) {
  const std::vector<ShortlistSizes> wrong = {{0, 0}, {-1, 3}, {3, -1}};
  for (const ShortlistSizes& sizes : wrong) {
    EXPECT_THAT([&] { (void)read(kTable, sizes); },
                ThrowsMessage<UsageError>(HasSubstr("at least one above 0")));
  }
  const int64_t all = target_.size();
  const std::vector<ShortlistSizes> idle = {{all, 0}, {1, all}};
  for (const ShortlistSizes& sizes : idle) {
    EXPECT_THAT([&] { (void)read(kTable, sizes); },
                ThrowsMessage<UsageError>(HasSubstr("would have no effect")));
  }
}

}  // namespace
}  // namespace attend::decode
