#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using nlohmann::json;
using test::run_program;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using attend::test::read_text;
using attend::test::TempDir;

std::vector<json> records_of(const std::string& text) {
  std::vector<json> records;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) records.push_back(json::parse(line));
  return records;
}

class CmdExplain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] test::Ended explain(const std::vector<std::string>& more) const {
    return explain_with(model_.path(), more);
  }

  [[nodiscard]] test::Ended explain_with(const std::string& model,
                                         const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"explain", "--model",  model, "--source",  source_,
                                       "--quiet", "--device", "cpu", "--samples", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  [[nodiscard]] std::vector<json> records(std::vector<std::string> more) const {
    const std::string file = (dir_ / "tokens.jsonl").string();
    more.insert(more.end(), {"--target", target_, "--output", file});
    const auto ended = explain(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return records_of(read_text(file));
  }

  static test::SuiteModel model_;
  TempDir dir_;
  std::string source_ = dir_.write("source", "a b c\nd a\nc d a b\n").string();
  std::string target_ = dir_.write("target", "w x y\nz , w\nz w\n").string();
  std::string words_ = dir_.write("words", "w\nz\n").string();
};

test::SuiteModel CmdExplain::model_;

TEST_F(CmdExplain, PrintsATableOfMeansByClassOfWord) {
  const auto ended = explain({"--target", target_, "--function-words", words_});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(": 3 pairs, 11 tokens: 2 content, 6 function, 3 end\n"));
  EXPECT_THAT(ended.out, ContainsRegex("attention: all +all +content +function +end\n"));
  EXPECT_THAT(ended.out,
              ContainsRegex("  weights uniform +[01]\\.[0-9]{3} ±0\\.[0-9]{3} +[01]\\.[0-9]{3} ±"));
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST_F(CmdExplain, WritesARecordForEveryTargetToken) {
  const auto found = records({"--function-words", words_});
  ASSERT_THAT(found, SizeIs(11));
  const std::vector<std::string> tokens = {"w", "x", "y", "</s>", "z", ",", "w", "</s>"};
  for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_EQ(found[i]["word"], tokens[i]) << i;
  EXPECT_EQ(found[4]["id"], 1);
  EXPECT_EQ(found[4]["position"], 0);
  const std::vector<std::string> classes = {"function", "content",  "content",  "end",
                                            "function", "function", "function", "end"};
  for (std::size_t i = 0; i < classes.size(); ++i) EXPECT_EQ(found[i]["class"], classes[i]) << i;
  for (const json& record : found) {
    EXPECT_EQ(record["model"], model_.path());
    EXPECT_GT(record["probability"], 0.0);
    ASSERT_TRUE(record["measures"].contains("all"));
    EXPECT_TRUE(record["measures"]["all"].contains("removed_by_posterior"));
    EXPECT_FALSE(record["measures"]["all"].contains("tau_contributions"))
        << "a recurrent decoder has no contributions";
    EXPECT_FALSE(record["measures"]["all"].contains("tau_alti"));
    for (const auto& [name, value] : record["measures"]["all"].items()) {
      EXPECT_LE(value, 1.0) << name;
      EXPECT_GE(value, -1.0) << name;
    }
  }
}

// The content words "x" and "y" are in one sentence, so their mean has no spread.
TEST_F(CmdExplain, HasTheMeansOfTheRecordsInItsTable) {
  const auto found = records({"--function-words", words_});
  double sum = 0.0;
  for (const json& record : found) sum += record["measures"]["all"]["tvd_last"].get<double>();
  const double content = (found[1]["measures"]["all"]["tvd_last"].get<double>() +
                          found[2]["measures"]["all"]["tvd_last"].get<double>()) /
                         2;
  const auto ended = explain({"--target", target_, "--function-words", words_});
  const std::string tvd = ended.out.substr(ended.out.find("Total variation"));
  EXPECT_THAT(tvd, ContainsRegex(fmt::format("all on the last position +{:.3f} ±[0-9.]+ +{:.3f} "
                                             "±0.000",
                                             sum / 11, content)));
}

TEST_F(CmdExplain, DependsOnTheSeedAndNotOnTheNumberOfThreads) {
  const auto one = records({"--threads", "1"});
  EXPECT_EQ(records({"--threads", "3"}), one);
  EXPECT_NE(records({"--seed", "8"}), one);
}

TEST_F(CmdExplain, ExplainsTheModelsOwnOutputWithoutATarget) {
  const auto translated =
      run_program({"translate", "--model", model_.path(), "--input", source_, "--quiet"});
  ASSERT_EQ(translated.code, 0) << translated.err;
  const std::string own = dir_.write("own", translated.out).string();
  const auto expected = explain({"--target", own});
  const auto ended = explain({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, expected.out);
}

TEST_F(CmdExplain, MeasuresControlsOnTheSamePairs) {
  const auto found = records({"--control", "random", "--control", model_.path()});
  ASSERT_THAT(found, SizeIs(33));
  EXPECT_EQ(found[11]["model"], "random");
  EXPECT_NE(found[11]["measures"], found[0]["measures"]);
  EXPECT_GT(found[11]["measures"]["all"]["model_js"], 0.0);
  json itself = found[22];
  EXPECT_EQ(itself["measures"]["all"]["model_js"], 0.0);
  itself["measures"]["all"].erase("model_js");
  EXPECT_EQ(itself, found[0]);
}

TEST_F(CmdExplain, TakesLinesWithoutWords) {
  const std::string source = dir_.write("empty.source", "\na b\n").string();
  const std::string target = dir_.write("empty.target", "\n\n").string();
  const std::string file = (dir_ / "tokens.jsonl").string();
  const auto ended = run_program({"explain", "--model", model_.path(), "--source", source,
                                  "--target", target, "--output", file, "--quiet"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto found = records_of(read_text(file));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_TRUE(found[0]["measures"]["all"].empty()) << "one source position cannot be replaced";
  EXPECT_TRUE(found[1]["measures"]["all"].contains("kept_uniform"));
}

TEST_F(CmdExplain, WritesLatexAndMethods) {
  const std::string latex = (dir_ / "table.tex").string(), methods = (dir_ / "methods").string();
  const auto ended = explain({"--target", target_, "--latex", latex, "--methods", methods, "--seed",
                              "5", "--function-words", "de", "--control", "random"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(read_text(latex),
              AllOf(HasSubstr("\\begin{tabular}{lcccc}"),
                    ContainsRegex("weights uniform & \\$[01]\\.[0-9]+ \\\\pm 0")));
  EXPECT_THAT(read_text(methods),
              AllOf(HasSubstr("20 bootstrap samples"), HasSubstr("Random seed: 5."),
                    HasSubstr("built-in list for de"), HasSubstr("control random"),
                    HasSubstr("Moradi, Kambhatla and Sarkar 2019.")));
}

TEST_F(CmdExplain, PutsTheTableOnStandardErrorIfRecordsGoToStandardOutput) {
  const auto ended = explain({"--target", target_, "--output", "-"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(records_of(ended.out), SizeIs(11));
  EXPECT_THAT(ended.err, HasSubstr("attention: all"));
}

TEST_F(CmdExplain, ExaminesLayersAndHeadsOfATransformer) {
  const auto model = test::train_tiny_model(
      dir_, "transformer",
      {"model.embedding=8", "model.encoder={type: transformer, heads: 2, cell: lstm, hidden: 256}",
       "model.decoder={type: transformer, heads: 2, layers: 2, cell: lstm, hidden: 512}",
       "model.attention.heads=2"});
  const std::string file = (dir_ / "tokens.jsonl").string();
  const auto ended =
      explain_with(model.string(), {"--target", target_, "--by", "head", "--output", file});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto found = records_of(read_text(file));
  ASSERT_THAT(found, SizeIs(11));
  std::vector<std::string> sites;
  for (const auto& [site, values] : found[0]["measures"].items()) sites.push_back(site);
  EXPECT_THAT(sites,
              ::testing::UnorderedElementsAre("all", "layer 1", "layer 1 head 1", "layer 1 head 2",
                                              "layer 2", "layer 2 head 1", "layer 2 head 2"));
  for (const char* name : {"tau_contributions", "overlap_posterior", "removed_by_contributions",
                           "tau_alti", "overlap_alti", "removed_by_alti"})
    EXPECT_TRUE(found[0]["measures"]["layer 2 head 1"].contains(name)) << name;
}

TEST_F(CmdExplain, RefusesAModelWithoutAttention) {
  const auto model = test::train_tiny_model(dir_, "plain", {"model.decoder.wiring=none"});
  const auto ended = explain_with(model.string(), {"--target", target_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("needs attention, but the model"));
  EXPECT_EQ(explain({"--target", target_, "--control", model.string()}).code, 2);
}

TEST_F(CmdExplain, RefusesWeightsPerFeature) {
  const auto model = test::train_tiny_model(dir_, "features", {"model.attention.per_feature=true"});
  const auto ended = explain_with(model.string(), {"--target", target_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("model.attention.per_feature"));
}

TEST_F(CmdExplain, RefusesFilesOfDifferentLength) {
  const auto ended = explain({"--target", words_});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("source"), HasSubstr("words")));
}

TEST_F(CmdExplain, RefusesAnEmptyText) {
  const std::string nothing = dir_.write("nothing", "").string();
  const auto ended = run_program(
      {"explain", "--model", model_.path(), "--source", nothing, "--target", nothing, "--quiet"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("has no lines"));
}

TEST_F(CmdExplain, NamesTheLanguagesWithFunctionWords) {
  const auto ended = explain({"--target", target_, "--function-words", "dee"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("did you mean \"de\""), HasSubstr("de, en, es, fr")));
}

}  // namespace
}  // namespace attend::cli
