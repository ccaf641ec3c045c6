#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/support/filled_pipe.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using attend::test::TempDir;

// |A| = 4, |S| = 2, |A and S| = 1, |A and P| = 2: AER = 1 - 3/6.
TEST(AlignLinks, ReportsTheErrorRateOfGivenLinks) {
  const TempDir dir;
  const auto links = dir.write("links", "0-0 1-1 2-2\n0-1\n").string();
  const auto gold = dir.write("gold", "0-0 1p1 2-3\n\n").string();
  const auto ended = run_program({"align", "--links", links, "--gold", gold});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out,
            "AER = 0.5000 precision = 0.5000 recall = 0.5000 (links = 4 sure = 2 judge = all)\n");
}

// Covered keeps 0-0 and 1-1: target 2 and the whole second sentence have no gold link.
TEST(AlignLinks, JudgesOnlyCoveredWords) {
  const TempDir dir;
  const auto links = dir.write("links", "0-0 1-1 2-2\n0-1\n").string();
  const auto gold = dir.write("gold", "0-0 1p1 2-3\n\n").string();
  const auto ended = run_program({"align", "--links", links, "--gold", gold, "--judge", "covered"});
  EXPECT_EQ(
      ended.out,
      "AER = 0.2500 precision = 1.0000 recall = 0.5000 (links = 2 sure = 2 judge = covered)\n");
}

TEST(AlignLinks, NamesBothFilesAndCountsWhereTheyDiffer) {
  const TempDir dir;
  const auto links = dir.write("links", "0-0\n").string();
  const auto gold = dir.write("gold", "0-0\n1-1\n").string();
  const auto ended = run_program({"align", "--links", links, "--gold", gold});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(links + " has 1 lines but " + gold + " has 2"));
}

// Regression: the result was AER = 0.0000, a perfect score.
TEST(AlignLinks, RefusesEmptyFiles) {
  const TempDir dir;
  const auto links = dir.write("links", "").string();
  const auto ended = run_program({"align", "--links", links, "--gold", links});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(links + ": has no lines; there is nothing to score"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST(AlignLinks, NamesFileLineAndColumnOfAMalformedLink) {
  const TempDir dir;
  const auto links = dir.write("links", "0-0\n0-0 1:1\n").string();
  const auto ended = run_program({"align", "--links", links, "--gold", links});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(links + ":2:5: \"1:1\" is not a link"));
}

TEST(AlignLinks, NeedsGold) {
  const auto ended = run_program({"align", "--links", "x"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--gold is missing"));
}

TEST(AlignLinks, NeedsAModelOrLinks) {
  const auto ended = run_program({"align", "--source", "x", "--target", "y"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--model is missing; give --model, --source and --target, or "
                                   "--links and --gold"));
}

TEST(AlignLinks, NamesFileLineAndColumnOfMalformedGold) {
  const TempDir dir;
  const auto links = dir.write("links", "0-0\n").string();
  const auto gold = dir.write("gold", "0-0  1s1\n").string();
  const auto ended = run_program({"align", "--links", links, "--gold", gold});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(gold + ":1:6: \"1s1\" is not a link"));
}

TEST(AlignLinks, ReportsAMissingFile) {
  const TempDir dir;
  const auto gold = dir.write("gold", "0-0\n").string();
  EXPECT_EQ(run_program({"align", "--links", (dir / "none").string(), "--gold", gold}).code, 3);
}

class LinksOfSentences : public ::testing::Test {
 protected:
  test::Ended judge(const std::string& links, const std::string& gold) const {
    return run_program({"align", "--links", dir_.write("links", links).string(), "--gold",
                        dir_.write("gold", gold).string(), "--source", source_, "--target",
                        target_});
  }

  TempDir dir_;
  std::string source_ = dir_.write("source", "a b\nc\n").string();
  std::string target_ = dir_.write("target", "x y z\nw\n").string();
};

TEST_F(LinksOfSentences, AreEvaluatedIfInside) {
  const auto ended = judge("1-2\n0-0\n", "1-2\n0-0\n");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("AER = 0.0000"));
}

// Regression: the error was "has 0 lines", because the pipe was read again for the gold links.
TEST_F(LinksOfSentences, MayUseSentencesFromAPipe) {
  const attend::test::FilledPipe source("a b\nc\n");
  source_ = source.path();
  const auto ended = judge("1-2\n0-0\n", "1-2\n0-0\n");
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(LinksOfSentences, AreNamedIfOutside) {
  const auto ended = judge("1-2\n0-1\n", "\n\n");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("links:2:1: link 0-1 lies outside the sentence pair: target "
                                   "position 1 of a sentence of 1 word"));
}

TEST_F(LinksOfSentences, AreNamedInTheGoldToo) {
  const auto ended = judge("\n\n", "0-0 2p0\n\n");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("gold:1:5: link 2-0 lies outside"));
}

TEST_F(LinksOfSentences, HaveALineForEveryPair) {
  const auto ended = judge("0-0\n", "0-0\n");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr(source_ + " has 2 lines"), HasSubstr("links has 1")));
}

TEST_F(LinksOfSentences, NeedBothSides) {
  const auto ended = run_program({"align", "--links", "x", "--gold", "y", "--source", source_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("both --source and --target"));
}

TEST(AlignLinks, TakesNoModel) {
  const auto ended = run_program({"align", "--links", "x", "--gold", "y", "--model", "z"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("without a model"));
  EXPECT_THAT(ended.out, IsEmpty());
}

}  // namespace
}  // namespace attend::cli
