#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using attend::test::TempDir;

// The example of sacreBLEU's README: BLEU 48.53 with two references.
class EvalOfFiles : public ::testing::Test {
 protected:
  std::string write(const char* name, const std::string& text) const {
    return dir_.write(name, text).string();
  }

  TempDir dir_;
  std::string hypothesis_ =
      write("hyp", "The dog bit the man.\nIt wasn't surprising.\nThe man had just bitten him.\n");
  std::string first_ =
      write("ref1", "The dog bit the man.\nIt was not unexpected.\nThe man bit him first.\n");
  std::string second_ = write(
      "ref2", "The dog had bit the man.\nNo one was surprised.\nThe man had bitten the dog.\n");
};

TEST_F(EvalOfFiles, PrintsScoreAndSignature) {
  const auto ended =
      run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_, second_});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out,
              AllOf(StartsWith("BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
                    HasSubstr(" = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 "
                              "ref_len = 18)\n")));
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST_F(EvalOfFiles, TakesOptionsOfTheMetrics) {
  const auto ended =
      run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_, "--reference",
                   second_, "--metrics", "exact,bleu", "--tokenize", "none", "--smooth", "floor",
                   "--smooth-value", "0.5", "--lowercase"});
  EXPECT_THAT(ended.out, AllOf(StartsWith("exact|nrefs:2|case:lc|"), HasSubstr("(1 of 3 lines)\n"),
                               HasSubstr("case:lc|eff:no|tok:none|smooth:floor[0.50]|")));
}

TEST_F(EvalOfFiles, ScoresEveryLineAtSentenceLevel) {
  const auto ended = run_program(
      {"eval", "--hypothesis", hypothesis_, "--reference", first_, "--sentence-level", "--json"});
  const auto json = nlohmann::json::parse(ended.out);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["line"], 1);
  EXPECT_NEAR(json[0]["score"].get<double>(), 100.0, 1e-9);
  EXPECT_EQ(json[2]["line"], 3);
  EXPECT_THAT(json[2]["signature"].get<std::string>(), HasSubstr("|eff:yes|"));
}

TEST_F(EvalOfFiles, ScoresEverySystem) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--hypothesis", first_,
                                  "--reference", first_, "--json"});
  const auto json = nlohmann::json::parse(ended.out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["system"], hypothesis_);
  EXPECT_EQ(json[1]["system"], first_);
  EXPECT_NEAR(json[1]["score"].get<double>(), 100.0, 1e-9);
}

TEST_F(EvalOfFiles, NamesBothFilesAndCountsWhereTheyDiffer) {
  const std::string shorter = write("short", "one\ntwo\n");
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--reference", shorter});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(hypothesis_ + " has 3 lines but " + shorter + " has 2"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(EvalOfFiles, ListsTheMetricsForAnUnknownOne) {
  const auto ended = run_program(
      {"eval", "--hypothesis", hypothesis_, "--reference", first_, "--metrics", "bleu,exat"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("unknown value \"exat\"; did you mean \"exact\"? (choices: "
                                   "bleu, exact, loss)"));
}

TEST_F(EvalOfFiles, NeedsSomethingToScore) {
  const auto ended = run_program({"eval", "--reference", first_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give --hypothesis, or --model and --source"));
}

TEST_F(EvalOfFiles, HasNoLossWithoutAModel) {
  const auto ended = run_program(
      {"eval", "--hypothesis", hypothesis_, "--reference", first_, "--metrics", "loss"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--metrics loss needs --model and --source"));
}

TEST_F(EvalOfFiles, NamesAMissingFile) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--reference", "no/file"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("no/file"));
}

class EvalOfModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shared_model_.make(); }
  static void TearDownTestSuite() { shared_model_.clear(); }

  TempDir dir_;
  inline static test::SuiteModel shared_model_;
  std::string model_ = shared_model_.path();
  std::string source_ = dir_.write("source", "a b c\n\nd a b\n").string();
  std::string reference_ = dir_.write("reference", "w x y\n\nz w x\n").string();
};

TEST_F(EvalOfModel, ScoresWhatTranslateWrites) {
  const std::string output = (dir_ / "output").string();
  ASSERT_EQ(run_program({"translate", "--model", model_, "--input", source_, "--output", output,
                         "--beam", "3", "--quiet"})
                .code,
            0);
  const auto translated =
      run_program({"eval", "--model", model_, "--source", source_, "--reference", output,
                   "--metrics", "exact", "--beam", "3", "--quiet"});
  EXPECT_THAT(translated.out, HasSubstr(" = 100.00 (3 of 3 lines)\n"));
}

// The loss is minus the sum of what `score` prints over the pieces: one each, and an end symbol.
TEST_F(EvalOfModel, HasTheLossOfScore) {
  const auto scores = run_program(
      {"score", "--model", model_, "--source", source_, "--target", reference_, "--quiet"});
  double sum = 0.0;
  std::istringstream lines(scores.out);
  for (double score = 0.0; lines >> score;) sum += score;
  const auto ended = run_program({"eval", "--model", model_, "--source", source_, "--reference",
                                  reference_, "--metrics", "loss", "--json", "--quiet"});
  const auto json = nlohmann::json::parse(ended.out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["name"], "loss");
  EXPECT_NEAR(json[0]["score"].get<double>(), -sum / (3 + 0 + 3 + 3), 1e-5);
  EXPECT_EQ(json[1]["name"], "perplexity");
  EXPECT_NEAR(json[1]["score"].get<double>(), std::exp(json[0]["score"].get<double>()), 1e-9);
}

TEST_F(EvalOfModel, NamesBothFilesAndCountsWhereTheyDiffer) {
  const std::string longer = dir_.write("longer", "w\nx\ny\nz\n").string();
  const auto ended = run_program(
      {"eval", "--model", model_, "--source", source_, "--reference", longer, "--quiet"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(source_ + " has 3 lines but " + longer + " has 4"));
}

TEST_F(EvalOfModel, NeedsASource) {
  const auto ended = run_program({"eval", "--model", model_, "--reference", reference_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--model needs --source"));
}

}  // namespace
}  // namespace attend::cli
