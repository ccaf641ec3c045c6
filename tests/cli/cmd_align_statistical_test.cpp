#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using attend::test::TempDir;

std::vector<std::string> output_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Pairs of four out of twelve words in the same order, but with a random last target word. The
/// gold links are "0-0 1-1 2-2".
class AlignStatistically : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(4);
    std::string source;
    std::string target;
    std::string gold;
    for (int pair = 0; pair < 80; ++pair) {
      for (int word = 0; word < 4; ++word) {
        const uint64_t number = random.below(12);
        source += fmt::format("Word{}{}", number, word < 3 ? " " : "\n");
        target +=
            word < 3 ? fmt::format("mot{} ", number) : fmt::format("mot{}\n", random.below(12));
      }
      gold += "0-0 1-1 2-2\n";
    }
    source_ = dir_.write("source", source).string();
    target_ = dir_.write("target", target).string();
    gold_ = dir_.write("gold", gold).string();
  }

  [[nodiscard]] test::Ended align(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"align", "--method", "statistical", "--source",
                                       source_, "--target", target_,       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TempDir dir_;
  std::string source_;
  std::string target_;
  std::string gold_;
};

TEST_F(AlignStatistically, FindsLinksWithoutAModel) {
  const auto ended =
      align({"--output", (dir_ / "links").string(), "--gold", gold_, "--judge", "covered"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(output_lines(attend::test::read_text(dir_ / "links")),
              AllOf(SizeIs(80), Contains("0-0 1-1 2-2")));
  EXPECT_THAT(ended.out, HasSubstr("AER = 0.0"));
}

// Two pairs alone show nothing; with what was learnt from 80, all their words are linked.
TEST_F(AlignStatistically, LearnsFromThePriorsOfOtherText) {
  ASSERT_EQ(align({"--output", (dir_ / "links").string(), "--stem", "0", "--save-priors",
                   (dir_ / "p").string()})
                .code,
            0);
  EXPECT_THAT(attend::test::read_text(dir_ / "p"), HasSubstr("word0\tmot0\t"));
  const std::string source = dir_.write("few.src", "word1 word2 word3\nword5 word4\n").string();
  const std::string target = dir_.write("few.tgt", "mot3 mot2 mot1\nmot4 mot5\n").string();
  const auto ended =
      run_program({"align", "--method", "statistical", "--source", source, "--target", target,
                   "--stem", "0", "--priors", (dir_ / "p").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "0-2 1-1 2-0\n0-1 1-0\n");
  EXPECT_THAT(ended.err, Not(HasSubstr("few to learn from")));
}

TEST_F(AlignStatistically, RefusesToWriteOverItsPriors) {
  const std::string priors = dir_.write("p", "word0\tmot0\t1\n").string();
  const auto ended = align({"--priors", priors, "--save-priors", priors});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("is also an input"));
  EXPECT_EQ(attend::test::read_text(priors), "word0\tmot0\t1\n");
}

TEST_F(AlignStatistically, GivesTheSameLinksWithAnyNumberOfThreads) {
  const auto one = align({"--format", "jsonl", "--threads", "1"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(align({"--format", "jsonl", "--threads", "3"}).out == one.out);
  EXPECT_TRUE(align({"--format", "jsonl", "--threads", "9"}).out == one.out);
  EXPECT_TRUE(align({"--format", "jsonl", "--seed", "2"}).out != one.out);
}

TEST_F(AlignStatistically, WritesMeanWeightsOfWords) {
  const auto ended = align({"--format", "jsonl", "--stem", "0"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  ASSERT_THAT(output_lines(ended.out), SizeIs(80));
  const auto record = nlohmann::json::parse(output_lines(ended.out)[3]);
  EXPECT_EQ(record["id"], 3);
  EXPECT_EQ(record["level"], "word");
  EXPECT_THAT(record["source"], SizeIs(4));
  ASSERT_THAT(record["attention"], SizeIs(4));
  EXPECT_GT(record["attention"][0][0], 0.5);
}

TEST_F(AlignStatistically, JoinsDirectionsAsAsked) {
  const auto links = [&](const char* how) {
    std::size_t count = 0;
    for (const char letter : align({"--symmetrize", how}).out) count += letter == '-' ? 1 : 0;
    return count;
  };
  const std::size_t both = links("intersect");
  EXPECT_GT(both, 200U);
  EXPECT_LT(both, links("union"));
}

TEST_F(AlignStatistically, WritesAnEmptyLineForAPairWithoutWordsOrWithTooMany) {
  std::string longest;
  for (int word = 0; word < 1001; ++word) longest += "Word1 ";
  source_ = dir_.write("source", "Word1 Word2\n\nWord3\n" + longest + "\n").string();
  target_ = dir_.write("target", "mot1 mot2\nmot2\n \nmot1\n").string();
  const auto ended = align({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto lines = output_lines(ended.out);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_THAT(lines[1], IsEmpty());
  EXPECT_THAT(lines[2], IsEmpty());
  EXPECT_THAT(lines[3], IsEmpty());
  EXPECT_THAT(ended.err, HasSubstr("pairs with more than 1000 words on a side: 1 of 4"));
  EXPECT_THAT(output_lines(align({"--format", "jsonl"}).out), SizeIs(4));
}

/// A line of 9,000 words.
std::string very_long_line() {
  std::string line;
  for (int word = 0; word < 9000; ++word) line += "w ";
  return line + "\n";
}

// Regression: one pair of 40,000 words took 12 GB and ended with exit code 1.
TEST_F(AlignStatistically, RefusesAPairOfSoManyWordsThatItsWeightsTakeGigabytes) {
  source_ = dir_.write("source", "a\n" + very_long_line()).string();
  target_ = dir_.write("target", "b\n" + very_long_line()).string();
  const auto ended = align({});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("source:2: 9000 and 9000 words are too many to link"));
}

TEST_F(AlignStatistically, AlignsEmptyFiles) {
  source_ = target_ = dir_.write("nothing", "").string();
  const auto ended = align({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(AlignStatistically, NamesBothFilesWhereTheirLengthsDiffer) {
  target_ = dir_.write("short", "mot1\n").string();
  const auto ended = align({});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr(source_), HasSubstr(target_), HasSubstr("80")));
}

TEST_F(AlignStatistically, ChecksGoldLinksBeforeItSamples) {
  const auto outside = dir_.write("outside", "0-9\n" + std::string(79, '\n')).string();
  const auto ended = align({"--gold", outside});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(outside + ":1:1: link 0-9 lies outside the sentence pair"));
  const auto fewer = dir_.write("fewer", "0-0\n").string();
  EXPECT_THAT(align({"--gold", fewer}).err, HasSubstr(fewer + " has 1"));
}

TEST_F(AlignStatistically, RefusesOptionsOfModels) {
  const auto ended = align({"--model", "x", "--layer", "2"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--model"), HasSubstr("--layer"),
                               HasSubstr("--method statistical reads no model")));
  EXPECT_EQ(align({"--votes", gold_}).code, 2);
  EXPECT_EQ(align({"--format", "jsonl", "--threshold", "0.4"}).code, 2);
  EXPECT_EQ(align({"--judge", "covered"}).code, 2);
  EXPECT_EQ(align({"--stem", "0,x"}).code, 2);
}

TEST_F(AlignStatistically, NeedsBothFiles) {
  const auto ended = run_program({"align", "--method", "statistical", "--source", source_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--method statistical needs both --source and --target"));
}

TEST_F(AlignStatistically, WarnsOfATextThatIsTooSmallToLearnFrom) {
  EXPECT_THAT(align({}).err, HasSubstr("80 pairs are few to learn from"));
}

/// Files with links of two pairs of two words each.
class AlignByVote : public ::testing::Test {
 protected:
  [[nodiscard]] test::Ended vote(const std::vector<std::string>& votes,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"align",    "--method", "vote",    "--source", source_,
                                       "--target", target_,    "--quiet", "--votes"};
    arguments.insert(arguments.end(), votes.begin(), votes.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TempDir dir_;
  std::string source_ = dir_.write("source", "a b\nc d\n").string();
  std::string target_ = dir_.write("target", "x y\nz w\n").string();
  std::string one_ = dir_.write("one", "0-0 1-1\n\n").string();
  std::string two_ = dir_.write("two", "0-0 0-1\n1-1\n").string();
  std::string three_ = dir_.write("three", "0-0 1-1\n0-1\n").string();
};

TEST_F(AlignByVote, KeepsTheLinksOfHalfOfTheFiles) {
  EXPECT_EQ(vote({one_, two_, three_}).out, "0-0 1-1\n\n");
  EXPECT_EQ(vote({one_, two_}).out, "0-0 0-1 1-1\n1-1\n");
}

TEST_F(AlignByVote, RefusesAPairOfSoManyWordsThatItsWeightsTakeGigabytes) {
  source_ = dir_.write("source", "a b\n" + very_long_line()).string();
  target_ = dir_.write("target", "x y\n" + very_long_line()).string();
  const auto ended = vote({one_});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("source:2: 9000 and 9000 words are too many to link"));
}

TEST_F(AlignByVote, KeepsLinksFromTheThreshold) {
  EXPECT_EQ(vote({one_, two_, three_}, {"--threshold", "0.67"}).out, "0-0\n\n");
  EXPECT_EQ(vote({one_, two_, three_}, {"--threshold", "0.33"}).out, "0-0 0-1 1-1\n0-1 1-1\n");
}

// The thresholds 0.34 to 0.66 keep only 0-0 and 1-1 of the first pair; larger ones lose 1-1.
TEST_F(AlignByVote, FindsTheThresholdByGoldLinks) {
  const auto gold = dir_.write("gold", "0-0 1-1\n\n").string();
  const auto ended =
      vote({one_, two_, three_}, {"--gold", gold, "--output", (dir_ / "o").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("AER = 0.0000"));
  EXPECT_EQ(attend::test::read_text(dir_ / "o"), "0-0 1-1\n\n");
  const auto all = dir_.write("all", "0-0 0-1 1-1\n0-1 1-1\n").string();
  EXPECT_EQ(vote({one_, two_, three_}, {"--gold", all}).out, "0-0 0-1 1-1\n0-1 1-1\n");
}

// Weights [target, source] of the pairs. The first pair of the first file has end symbols; the
// second file has source and target swapped. Means of the first pair: 0.6 0.1 / 0.3 0.8, of the
// second: 0.2 0 / 0.1 1.
TEST_F(AlignByVote, JoinsWeightsOfBothDirections) {
  const auto forward = dir_.write("forward", R"({"level":"word","source":["a","b","</s>"],)"
                                             R"("target":["x","y","</s>"],"attention":)"
                                             R"([[0.8,0,0.2],[0.2,0.8,0],[0,0,1]]})"
                                             "\n"
                                             R"({"level":"word","source":["c","d"],)"
                                             R"("target":["z","w"],"attention":[[0,0],[0,1.5]]})"
                                             "\n")
                           .string();
  const auto reverse = dir_.write("reverse", R"({"level":"word","source":["x","y"],)"
                                             R"("target":["a","b"],"attention":)"
                                             R"([[0.4,0.4],[0.2,0.8]]})"
                                             "\n"
                                             R"({"level":"word","source":["z","w"],)"
                                             R"("target":["c","d"],"attention":[[0.4,0.2],[0,1]]})"
                                             "\n")
                           .string();
  EXPECT_EQ(vote({forward, reverse}).out, "0-0 1-1\n1-1\n");
  EXPECT_EQ(vote({forward, reverse}, {"--threshold", "0.3"}).out, "0-0 0-1 1-1\n1-1\n");
  const auto written = vote({forward, reverse}, {"--format", "jsonl"}).out;
  EXPECT_THAT(written,
              HasSubstr(R"("source":["a","b"],"target":["x","y"],"attention":[[0.6,0.1],)"));
  EXPECT_THAT(written, HasSubstr(R"("attention":[[0.2,0.0],[0.1,1.0]])"));
}

TEST_F(AlignByVote, NamesAFileOfAnotherLength) {
  const auto shorter = dir_.write("shorter", "0-0\n").string();
  EXPECT_THAT(vote({one_, shorter}).err, HasSubstr(shorter + ": has only 1 lines"));
  const auto longer = dir_.write("longer", "0-0\n\n\n").string();
  EXPECT_THAT(vote({one_, longer}).err,
              HasSubstr(source_ + " has 2 lines but " + longer + " has 3"));
  EXPECT_EQ(vote({one_, longer}).code, 3);
}

TEST_F(AlignByVote, NamesFileAndLineOfWrongVotes) {
  const auto outside = dir_.write("outside", "\n0-2\n").string();
  EXPECT_THAT(vote({outside}).err, HasSubstr(outside + ":2:1: link 0-2 lies outside"));
  const auto words = [&](const char* record) { return dir_.write("words", record).string(); };
  EXPECT_THAT(vote({words(R"({"level":"word","source":["q","b"],"target":["x","y"],)"
                          R"("attention":[[0,0],[0,0]]})")})
                  .err,
              HasSubstr("words:1: not a record of this pair: its words are not those of the pair"));
  EXPECT_THAT(vote({words(R"({"level":"piece","source":[],"target":[],"attention":[]})")}).err,
              HasSubstr("its level is not word"));
  EXPECT_THAT(vote({words(R"({"level":"word","source":["a"],"target":[],"attention":null})")}).err,
              HasSubstr("it has no weights"));
  EXPECT_THAT(vote({words(R"({"level":"word","source":["a","b"],"target":["x"],)"
                          R"("attention":[[0]]})")})
                  .err,
              HasSubstr("a row does not fit the source words"));
  EXPECT_THAT(vote({words("{")}).err, HasSubstr("it is not a JSON object"));
}

TEST_F(AlignByVote, NeedsVotesAndReadsThemTwice) {
  const auto ended =
      run_program({"align", "--method", "vote", "--source", source_, "--target", target_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--method vote needs --votes"));
  EXPECT_THAT(vote({"-"}).err, HasSubstr("\"-\" is not a regular file"));
  EXPECT_EQ(vote({one_}, {"--stem", "3"}).code, 2);
  EXPECT_EQ(vote({one_}, {"--symmetrize", "union"}).code, 2);
}

TEST_F(AlignByVote, KeepsItsInputs) {
  const auto ended = vote({one_}, {"--output", one_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(attend::test::read_text(one_), "0-0 1-1\n\n");
}

}  // namespace
}  // namespace attend::cli
