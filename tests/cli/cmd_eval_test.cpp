#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
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

// Sentences of 3 and 7 words. The score of each length is that of these lines alone.
TEST_F(EvalOfFiles, ScoresByLength) {
  const std::string short_line = "a b c\n", long_line = "a b c d e f g\n";
  const auto source = write("source", short_line + long_line + short_line);
  const auto by_length =
      run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_, "--source", source,
                   "--by-length", "--metrics", "bleu,chrf", "--json"});
  ASSERT_EQ(by_length.code, 0) << by_length.err;
  const auto entries = nlohmann::json::parse(by_length.out);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0]["words_from"], 0);
  EXPECT_EQ(entries[0]["words_to"], 5);
  EXPECT_EQ(entries[0]["lines"], 2);
  EXPECT_EQ(entries[3]["words_from"], 6);
  EXPECT_EQ(entries[3]["lines"], 1);

  const auto alone = run_program(
      {"eval", "--hypothesis", write("h", "The dog bit the man.\nThe man had just bitten him.\n"),
       "--reference", write("r", "The dog bit the man.\nThe man bit him first.\n"), "--metrics",
       "bleu,chrf", "--json"});
  const auto expected = nlohmann::json::parse(alone.out);
  EXPECT_EQ(entries[0]["score"], expected[0]["score"]);
  EXPECT_EQ(entries[1]["score"], expected[1]["score"]);
}

TEST_F(EvalOfFiles, PrintsATableOfLengths) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_,
                                  "--by-length", "--metrics", "exact,ter"});
  EXPECT_THAT(ended.out, StartsWith("source words  lines  exact"));
  EXPECT_THAT(ended.out, HasSubstr("\n0 to 5        3      33.33"));
  const auto refused =
      run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_, "--source", first_});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--source has no effect with --hypothesis"));
}

// Regression: the result was TER 0, a perfect score.
TEST_F(EvalOfFiles, RefusesEmptyFiles) {
  const auto empty = write("empty", "");
  const auto ended =
      run_program({"eval", "--hypothesis", empty, "--reference", empty, "--metrics", "bleu,ter"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(empty + ": has no lines; there is nothing to score"));
  EXPECT_THAT(ended.out, IsEmpty());
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
                                   "bleu, chrf, ter, exact, length, loss, accuracy)"));
}

TEST_F(EvalOfFiles, NeedsSomethingToScore) {
  const auto ended = run_program({"eval", "--reference", first_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give --hypothesis, or --model and --source"));
}

TEST_F(EvalOfFiles, HasNoModelMetricsWithoutAModel) {
  for (const std::string metric : {"loss", "accuracy"}) {
    const auto ended = run_program(
        {"eval", "--hypothesis", hypothesis_, "--reference", first_, "--metrics", metric});
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr("--metrics " + metric + " needs --model and --source"));
  }
}

// sacreBLEU's README has chrF2 = 59.73 for this example.
TEST_F(EvalOfFiles, ScoresChrfAndTerUnderTheirNames) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_,
                                  second_, "--metrics", "chrf,ter,length"});
  EXPECT_THAT(
      ended.out,
      AllOf(StartsWith("chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"),
            HasSubstr(" = 59.73\nTER|nrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no|"),
            HasSubstr("length|nrefs:2|tok:13a|"), HasSubstr(" = 0.944 (hyp_len = 17")));
}

TEST_F(EvalOfFiles, CountsWordsOfTheLengthRatioByTheTokenizer) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--reference", first_,
                                  "--metrics", "length", "--tokenize", "none"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("length|nrefs:1|tok:none|"));
}

TEST_F(EvalOfFiles, TakesTheOptionsOfChrfAndTer) {
  const auto ended = run_program(
      {"eval", "--hypothesis", hypothesis_, "--reference", first_, "--metrics", "chrf,ter",
       "--chrf-char-order", "5", "--chrf-word-order", "2", "--chrf-beta", "3", "--chrf-whitespace",
       "--ter-normalized", "--ter-no-punct", "--ter-asian", "--ter-case"});
  EXPECT_THAT(ended.out,
              AllOf(StartsWith("chrF3++|nrefs:1|case:mixed|eff:yes|nc:5|nw:2|space:yes|"),
                    HasSubstr("\nTER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|")));
}

TEST_F(EvalOfFiles, AddsBootstrapIntervals) {
  const std::vector<std::string> arguments{"eval", "--hypothesis", hypothesis_, "--reference",
                                           first_, "--confidence", "--trials",  "50"};
  const auto text = run_program(arguments);
  EXPECT_THAT(text.out, AllOf(StartsWith("BLEU|nrefs:1|bs:50|seed:1|case:mixed|"),
                              HasSubstr(" (μ = "), HasSubstr(" ± ")));
  auto with_json = arguments;
  with_json.insert(with_json.end(), {"--json", "--seed", "9"});
  const auto json = nlohmann::json::parse(run_program(with_json).out);
  EXPECT_GT(json[0]["confidence_var"].get<double>(), 0.0);
  EXPECT_THAT(json[0]["signature"].get<std::string>(), HasSubstr("|bs:50|seed:9|"));
}

TEST_F(EvalOfFiles, TestsSystemsAgainstTheFirst) {
  const auto ended =
      run_program({"eval", "--hypothesis", hypothesis_, first_, hypothesis_, "--reference", second_,
                   "--metrics", "bleu,ter", "--paired", "bootstrap", "--quiet"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, AllOf(StartsWith("System "), HasSubstr("\nBaseline: " + hypothesis_ + " "),
                               HasSubstr("\n" + first_ + " "), HasSubstr("(p = "),
                               HasSubstr("Paired bootstrap resampling with 1000 samples."),
                               HasSubstr("\nBLEU|nrefs:1|bs:1000|seed:1|case"),
                               HasSubstr("\nTER|nrefs:1|bs")));
  // A second occurrence of the baseline is skipped.
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("\n" + hypothesis_)));
}

TEST_F(EvalOfFiles, TestsByRandomization) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, first_, "--reference",
                                  second_, "--paired", "randomization", "--json"});
  const auto json = nlohmann::json::parse(ended.out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_TRUE(json[0]["p_value"].is_null());
  EXPECT_GT(json[1]["p_value"].get<double>(), 0.0);
  EXPECT_TRUE(json[1]["mean"].is_null());
  EXPECT_THAT(json[1]["signature"].get<std::string>(), HasSubstr("nrefs:1|ar:10000|seed:1|case"));
}

TEST_F(EvalOfFiles, AddsIntervalsToRandomization) {
  const auto ended =
      run_program({"eval", "--hypothesis", hypothesis_, first_, "--reference", second_, "--paired",
                   "randomization", "--confidence", "--trials", "20", "--json"});
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_TRUE(json[1]["mean"].is_number());
  EXPECT_THAT(json[1]["signature"].get<std::string>(), HasSubstr("|bs:1000|ar:20|seed:1|"));
}

TEST_F(EvalOfFiles, RefusesConflictingOptions) {
  const auto error_of = [&](std::vector<std::string> further) {
    further.insert(further.begin(), {"eval", "--hypothesis", hypothesis_, "--reference", first_});
    const auto ended = run_program(further);
    EXPECT_EQ(ended.code, 2);
    return ended.err;
  };
  EXPECT_THAT(error_of({"--paired", "bootstrap"}), HasSubstr("at least two --hypothesis files"));
  EXPECT_THAT(error_of({"--sentence-level", "--confidence"}),
              HasSubstr("--sentence-level cannot be combined"));
  EXPECT_THAT(error_of({"--trials", "5"}), HasSubstr("--trials needs --confidence or --paired"));
  EXPECT_THAT(error_of({"--paired", "bootstrp"}), HasSubstr("did you mean \"bootstrap\"?"));
  EXPECT_THAT(error_of({"--chrf-beta", "-1", "--metrics", "chrf"}), HasSubstr("chrF: beta -1"));
}

TEST_F(EvalOfFiles, ChecksTheLinesOfEverySystem) {
  const std::string shorter = write("short", "one\ntwo\n");
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, shorter, "--reference",
                                  first_, "--paired", "bootstrap"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(shorter + " has 2 lines but " + first_ + " has 3"));
}

TEST_F(EvalOfFiles, NamesAMissingFile) {
  const auto ended = run_program({"eval", "--hypothesis", hypothesis_, "--reference", "no/file"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("no/file"));
}

}  // namespace
}  // namespace attend::cli
