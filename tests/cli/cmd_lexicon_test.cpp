// `attend lexicon`, and its table in `attend translate`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using test::Ended;
using test::run_program;
using ::testing::AllOf;
using ::testing::AnyOfArray;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The model of train_tiny_model(): a b c d -> w x y z, in this order.
class LexiconCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] std::string at(const std::string& name) const { return (dir_ / name).string(); }
  [[nodiscard]] Ended lexicon(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"lexicon", "--model",  model_.path(), "--source",
                                          source_,   "--target", target_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  [[nodiscard]] Ended translate(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"translate", "--model",  model_.path(), "--input",
                                          input_,      "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  void make_table() const {
    const Ended ended = lexicon({"--output", at("lex")});
    ASSERT_EQ(ended.code, 0) << ended.err;
  }

  static inline test::SuiteModel model_;
  attend::test::TempDir dir_;
  std::string source_ = dir_.write("source", "a b c\nb c d\n\nc d a b\nd a\nc\n").string();
  std::string target_ = dir_.write("target", "w x y\nx y z\nw\ny z w x\nz w\ny\n").string();
  std::string input_ = dir_.write("input", "a\n\nb b b\nd c b a\nc\n").string();
};

TEST_F(LexiconCommand, WritesTranslationProbabilitiesAndFrequencies) {
  const Ended ended = lexicon();

  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("from 5 pairs; skipped 1 pairs with an empty side"));
  // Thirteen words: y four times, the others three times.
  EXPECT_THAT(ended.out, AllOf(StartsWith("▁y NULL 0.307692\n"), HasSubstr("▁z NULL 0.230769\n")));
  EXPECT_THAT(ended.out, Not(HasSubstr("<")));
  // The first line of a word is its best translation.
  for (const char* best : {"▁w ▁a 0.", "▁x ▁b 0.", "▁y ▁c 0.", "▁z ▁d 0."}) {
    const std::string source = words_of(best)[1];
    const std::size_t first = ended.out.find(" " + source + " ");
    const std::size_t line = ended.out.rfind('\n', first) + 1;
    EXPECT_THAT(ended.out.substr(line), StartsWith(best));
  }
}

TEST_F(LexiconCommand, RestrictsTranslateToItsPieces) {
  make_table();
  for (const char* batch : {"1", "5"}) {
    const Ended ended = translate({"--shortlist", at("lex"), "0", "1", "--batch-size", batch,
                                   "--beam", "3", "--n-best", "3"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("shortlist: the 0 most frequent of"));
    std::istringstream lines(ended.out);
    const std::vector<std::vector<std::string>> allowed = {
        {"w"}, {}, {"x"}, {"w", "x", "y", "z"}, {"y"}};
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const auto sentence = static_cast<std::size_t>(line[0] - '0');
      const std::size_t begin = line.find("|||") + 3;
      EXPECT_THAT(words_of(line.substr(begin, line.rfind("|||") - begin)),
                  Each(AnyOfArray(allowed[sentence])))
          << line;
    }
    EXPECT_EQ(count, 13);
  }
}

TEST_F(LexiconCommand, GivesTheSameWithAnyBatchThreadsAndPrecision) {
  make_table();
  for (const char* precision : {"f32", attend::test::low_precision()}) {
    const auto run = [&](const char* batch, const char* threads) {
      return translate({"--shortlist", at("lex"), "1", "1", "--batch-size", batch, "--threads",
                        threads, "--precision", precision})
          .out;
    };
    const std::string expected = run("1", "1");
    EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 5);
    EXPECT_EQ(run("5", "1"), expected);
    EXPECT_EQ(run("2", "2"), expected);
  }
}

TEST_F(LexiconCommand, ServesAnEnsemble) {
  make_table();
  const Ended alone = translate({"--shortlist", at("lex"), "1", "1"});
  const Ended twice = translate({"--shortlist", at("lex"), "1", "1", "--model", model_.path()});
  ASSERT_EQ(twice.code, 0) << twice.err;
  EXPECT_EQ(twice.out, alone.out);
}

TEST_F(LexiconCommand, IsPartOfTheKeyOfShards) {
  make_table();
  const auto shard = [&](const char* which, const char* best) {
    return translate({"--shortlist", at("lex"), "1", best, "--batch-size", "1", "--shard", which,
                      "--output", at(std::string("out") + which[0])});
  };
  dir_.write("input", std::string(60, '\n'));
  ASSERT_EQ(shard("1/2", "1").code, 0);
  ASSERT_EQ(shard("2/2", "2").code, 0);
  EXPECT_THAT(run_program({"merge", at("out1"), at("out2"), "--output", at("all")}).err,
              HasSubstr("different shortlist"));
  ASSERT_EQ(shard("2/2", "1").code, 0);
  const Ended merged = run_program({"merge", at("out1"), at("out2"), "--output", at("all")});
  EXPECT_EQ(merged.code, 0) << merged.err;
}

// Lines with target frequencies have the placeholder NULL as their source.
TEST_F(LexiconCommand, OmitsASourceWordEqualToThePlaceholder) {
  const auto with_null = dir_.write("null", "NULL b c\nb c d\nc d a b\nd NULL\n").string();
  const auto target = dir_.write("of_null", "w x y\nx y z\ny z w x\nz w\n").string();
  const auto model = test::train_tiny_model(
      dir_, "of", {"data.train={source: " + with_null + ", target: " + target + "}"});
  const Ended made = run_program({"lexicon", "--model", model.string(), "--source", with_null,
                                  "--target", target, "--output", at("lex")});
  ASSERT_EQ(made.code, 0) << made.err;
  const Ended ended = run_program({"translate", "--model", model.string(), "--input", with_null,
                                   "--shortlist", at("lex"), "2", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(LexiconCommand, FaultsAreNamed) {
  make_table();
  const auto expect = [&](const std::vector<std::string>& values, int code, const char* message) {
    std::vector<std::string> arguments = {"--shortlist"};
    arguments.insert(arguments.end(), values.begin(), values.end());
    const Ended ended = translate(arguments);
    EXPECT_EQ(ended.code, code) << message;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(ended.out, "");
  };
  expect({at("lex"), "1"}, 2, "--shortlist: expected FILE or FILE FIRST BEST, got 2 values");
  expect({at("lex"), "many", "1"}, 2,
         "--shortlist: expected FILE FIRST BEST with whole numbers, got \"many\"");
  expect({at("lex"), "0", "0"}, 2, "at least one above 0");
  expect({at("lex"), "99", "1"}, 2, "would have no effect");
  expect({at("lexx"), "1", "1"}, 3, "lexx");
  expect({at("lex")}, 2, "of 100 pieces would have no effect: the target vocabulary has 8");
  expect(
      {dir_.write("turned", "▁a ▁w 0.5\n").string(), "1", "1"}, 3,
      "no target piece \"▁a\"; the table was made with other tokenizers or has source and target");
}

TEST_F(LexiconCommand, NeedsPairsToLearnFrom) {
  dir_.write("target", "w\nx\n");
  Ended ended = lexicon();
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("source has 6 lines"), HasSubstr("2")));
  dir_.write("source", "\n\n");
  ended = lexicon({"--output", at("lex")});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("have no usable pair: all 2"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "lex"));
}

// Symptom: a dictionary needed a trained model, although links say all of it.
TEST_F(LexiconCommand, CountsLinksWithoutAModel) {
  const std::string links = dir_.write("links", "0-0 1-1\n0-0\n0-0 0-1\n").string();
  const std::string source = dir_.write("s", "the dog\nthe\nthe cat\n").string();
  const std::string target = dir_.write("t", "der Hund\ndie\ndie Katze\n").string();
  const Ended ended =
      run_program({"lexicon", "--links", links, "--source", source, "--target", target});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "Hund dog 1\ndie the 0.5\nKatze the 0.25\nder the 0.25\n");
  EXPECT_THAT(ended.err, HasSubstr("lexicon: 4 lines from 3 pairs"));
  dir_.write("links", "0-0 1-2\n\n\n");
  const Ended wrong =
      run_program({"lexicon", "--links", links, "--source", source, "--target", target});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("links:1:5: "));
  const Ended neither = run_program({"lexicon", "--source", source, "--target", target});
  EXPECT_EQ(neither.code, 2);
  EXPECT_THAT(neither.err, HasSubstr("give --model DIR"));
}

}  // namespace
}  // namespace attend::cli
