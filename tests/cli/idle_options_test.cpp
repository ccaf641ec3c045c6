// Options without an effect are refused with a message that names them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"

namespace attend::cli {
namespace {

using test::Ended;
using test::run_program;
using testing::HasSubstr;
using testing::Not;

class IdleOptions : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  static void expect_refusal(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& named) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    for (const std::string& text : named) EXPECT_THAT(ended.err, HasSubstr(text));
  }

  static test::SuiteModel model_;
  attend::test::TempDir dir_;
};
test::SuiteModel IdleOptions::model_;

TEST_F(IdleOptions, GivenLinksExcludeOutputAndModelOptions) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"--output", "x"},      {"--format", "jsonl"},     {"--level", "word"},
      {"--threshold", "0.1"}, {"--shift", "1"},          {"--method", "posterior"},
      {"--batch-size", "3"},  {"--symmetrize", "union"}, {"--heatmap-format", "png"}};
  for (const auto& [option, value] : all) {
    expect_refusal({"align", "--links", "l", "--gold", "g", option, value},
                   {option + " would have no effect", "--links is evaluated without a model"});
  }
}

// Errors name options even if the help does not list them.
TEST_F(IdleOptions, OptionsThatTheHelpLeavesOutAreNamedInErrors) {
  expect_refusal({"translate", "--model", "m", "--batch-size", "3", "--batch-unit", "token"},
                 {"--batch-unit", "did you mean \"tokens\""});
  EXPECT_THAT(run_program({"translate", "--help"}).out, Not(HasSubstr("  --kernels")));
}

TEST_F(IdleOptions, AlignmentsInJsonlHaveNoThreshold) {
  expect_refusal({"align", "--model", "m", "--source", "s", "--target", "t", "--format", "jsonl",
                  "--threshold", "0.5"},
                 {"--threshold would have no effect"});
}

TEST_F(IdleOptions, HypothesesAreNotTranslated) {
  const std::vector<std::pair<std::string, std::string>> all = {{"--beam", "5"},
                                                                {"--length-penalty", "1"},
                                                                {"--coverage-penalty", "0"},
                                                                {"--max-length-ratio", "2"},
                                                                {"--no-repeat-ngram-size", "3"},
                                                                {"--batch-size", "3"},
                                                                {"--batch-unit", "tokens"},
                                                                {"--precision", "f32"},
                                                                {"--shortlist", "l"},
                                                                {"--kernels", "plain"},
                                                                {"--long-lines", "skip"}};
  for (const auto& [option, value] : all) {
    expect_refusal({"eval", "--hypothesis", "h", "--reference", "r", option, value},
                   {option + " would have no effect", "--hypothesis needs no translation"});
  }
}

TEST_F(IdleOptions, OfOneMetricAreRefusedForAnother) {
  expect_refusal({"eval", "--hypothesis", "h", "--reference", "r", "--metrics", "chrf,ter",
                  "--tokenize", "char", "--smooth", "none"},
                 {"--tokenize and --smooth would have no effect", "add bleu to --metrics"});
  expect_refusal({"eval", "--hypothesis", "h", "--reference", "r", "--chrf-beta", "3"},
                 {"--chrf-beta would have no effect", "add chrf to --metrics"});
  expect_refusal({"eval", "--hypothesis", "h", "--reference", "r", "--ter-case"},
                 {"--ter-case would have no effect", "add ter to --metrics"});
  expect_refusal({"eval", "--hypothesis", "h", "--reference", "r", "--smooth-value", "0.5"},
                 {"--smooth-value would have no effect", "--smooth floor"});
}

TEST_F(IdleOptions, NothingIsTranslatedForTheLoss) {
  expect_refusal({"eval", "--model", "m", "--source", "s", "--reference", "r", "--metrics", "loss",
                  "--beam", "3"},
                 {"--beam would have no effect", "without translating"});
}

TEST_F(IdleOptions, TheLossIsComputedOnWholePairsInOnePrecision) {
  const std::vector<std::pair<std::string, std::string>> all = {{"--precision", "int8"},
                                                                {"--shortlist", "l"},
                                                                {"--kernels", "plain"},
                                                                {"--long-lines", "skip"}};
  for (const auto& [option, value] : all) {
    expect_refusal({"eval", "--model", "m", "--source", "s", "--reference", "r", "--metrics",
                    "loss,accuracy", option, value},
                   {option + " would have no effect", "without translating"});
  }
}

TEST_F(IdleOptions, PicturesAndWeightsNeedAnOutput) {
  expect_refusal({"translate", "--model", "m", "--heatmap-format", "png"},
                 {"--heatmap-format would have no effect", "--heatmaps"});
  expect_refusal({"translate", "--model", "m", "--alignments", "a", "--level", "word"},
                 {"--level would have no effect", "--attention"});
  expect_refusal(
      {"align", "--model", "m", "--source", "s", "--target", "t", "--heatmap-format", "png"},
      {"--heatmap-format would have no effect", "--heatmaps"});
}

TEST_F(IdleOptions, SamplingHasNoBeam) {
  expect_refusal({"translate", "--model", "m", "--sample", "--beam", "5"},
                 {"--beam would have no effect", "--sample", "--n-best"});
}

// Otherwise the config's 64 sentences would become 64 tokens.
TEST_F(IdleOptions, ABatchUnitNeedsABatchSize) {
  const std::string lines = dir_.write("lines", "a\n").string();
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"translate", "--input", lines},
           {"score", "--source", lines, "--target", lines},
           {"align", "--source", lines, "--target", lines},
           {"eval", "--source", lines, "--reference", lines, "--metrics", "loss"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--model", model_.path(), "--batch-unit", "tokens"});
    expect_refusal(arguments, {"--batch-unit changes the unit of --batch-size", "give both"});
  }
}

TEST_F(IdleOptions, AnAbsurdBatchSizeIsRefused) {
  for (const char* command : {"translate", "score"}) {
    std::vector<std::string> arguments = {command, "--model", model_.path(), "--batch-size",
                                          "4611686018427387904"};
    const std::string nothing = "/dev/null";
    if (std::string(command) == "score") {
      arguments.insert(arguments.end(), {"--source", nothing, "--target", nothing});
    } else {
      arguments.insert(arguments.end(), {"--input", nothing});
    }
    expect_refusal(arguments, {"the batch size is 4611686018427387904"});
  }
}

}  // namespace
}  // namespace attend::cli
