#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/filled_pipe.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::FilledPipe;
using attend::test::TempDir;
using test::run_program;
using ::testing::HasSubstr;

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

// The loss is minus the sum of the scores of `score`, divided by the number of pieces: one per
// word and an end symbol.
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

// Regression: the result was perplexity = 0.0000.
TEST_F(EvalOfModel, RefusesEmptyFiles) {
  const auto empty = dir_.write("empty", "").string();
  for (const char* metric : {"bleu", "loss"}) {
    const auto ended = run_program({"eval", "--model", model_, "--source", empty, "--reference",
                                    empty, "--metrics", metric, "--quiet"});
    EXPECT_EQ(ended.code, 3) << metric;
    EXPECT_THAT(ended.err, HasSubstr(empty + ": has no lines; there is nothing to score"));
    EXPECT_EQ(ended.out, "");
  }
}

/// The result of `eval --metrics accuracy --json`.
struct Accuracy {
  double score = -1.0;
  int right = 0;
  int all = 0;
};

Accuracy accuracy(const std::string& model, const std::string& source,
                  const std::string& reference) {
  const auto ended = run_program({"eval", "--model", model, "--source", source, "--reference",
                                  reference, "--metrics", "accuracy", "--json", "--quiet"});
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["name"], "accuracy");
  Accuracy result;
  result.score = json[0]["score"].get<double>();
  const auto details = json[0]["verbose_score"].get<std::string>();
  EXPECT_EQ(std::sscanf(details.c_str(), "(%d of %d pieces)", &result.right, &result.all), 2);
  return result;
}

// Greedy output is the most probable piece at each step. The accuracy may still be below 100 %,
// because the output of a model with random weights may be segmented differently when it is read.
TEST_F(EvalOfModel, IsMoreAccurateOnItsOwnGreedyTranslation) {
  const std::string source = dir_.write("full", "a b c\nd a b\nb b a c\n").string();
  const std::string reference = dir_.write("other", "w x y\nz w x\nx x w y\n").string();
  const std::string output = (dir_ / "greedy").string();
  ASSERT_EQ(run_program({"translate", "--model", model_, "--input", source, "--output", output,
                         "--beam", "1", "--quiet"})
                .code,
            0);
  const Accuracy own = accuracy(model_, source, output);
  const Accuracy other = accuracy(model_, source, reference);
  EXPECT_GT(own.score, 50.0);
  EXPECT_LT(other.score, own.score);
  EXPECT_NEAR(own.score, 100.0 * own.right / own.all, 1e-9);
  EXPECT_EQ(other.all, 13);  // ten words and three ends
}

TEST_F(EvalOfModel, ScoresLinesAndIntervalsOfTheLossToo) {
  const auto lines = nlohmann::json::parse(
      run_program({"eval", "--model", model_, "--source", source_, "--reference", reference_,
                   "--metrics", "loss", "--sentence-level", "--json", "--quiet"})
          .out);
  ASSERT_EQ(lines.size(), 6U);  // loss and perplexity of three lines
  EXPECT_EQ(lines[2]["line"], 3);
  EXPECT_EQ(lines[1]["verbose_score"], "(1 pieces)");
  const auto ended = run_program({"eval", "--model", model_, "--source", source_, "--reference",
                                  reference_, "--metrics", "loss", "--confidence", "--quiet"});
  EXPECT_THAT(ended.out, HasSubstr("loss|nrefs:1|bs:1000|seed:1|unit:piece|"));
  EXPECT_THAT(ended.out, HasSubstr(" (μ = "));
}

// Regression: with such batch sizes no pair was read, and the loss was 0.
TEST_F(EvalOfModel, RefusesBatchesWithoutPairsForTheLoss) {
  for (const char* size : {"0", "-5", "4611686018427387904"}) {
    const auto ended =
        run_program({"eval", "--model", model_, "--source", source_, "--reference", reference_,
                     "--metrics", "loss", "--batch-size", size, "--quiet"});
    EXPECT_EQ(ended.code, 2) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr("the batch size is " + std::string(size)));
    EXPECT_EQ(ended.out, "");
  }
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

// Regression: the error was "has 0 lines", because the pipe had been read to count its lines.
TEST_F(EvalOfModel, TranslatesAPipe) {
  const FilledPipe pipe(attend::test::read_text(source_));
  const auto evaluate = [&](const std::string& source) {
    return run_program(
        {"eval", "--model", model_, "--source", source, "--reference", reference_, "--quiet"});
  };
  const auto ended = evaluate(pipe.path());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, evaluate(source_).out);
}

TEST_F(EvalOfModel, RefusesToReadAPipeTwice) {
  const FilledPipe pipe("x\n");
  const auto ended = run_program({"eval", "--model", model_, "--source", source_, "--reference",
                                  pipe.path(), "--metrics", "loss", "--quiet"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("reads its files twice, which " + pipe.path()));
}

}  // namespace
}  // namespace attend::cli
