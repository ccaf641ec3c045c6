#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string_view>

#include "align/extract.h"
#include "align/links.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using attend::test::TempDir;

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> objects;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

align::AttentionMatrix matrix_of(const nlohmann::json& record) {
  const auto rows = record["attention"].get<std::vector<std::vector<float>>>();
  align::AttentionMatrix matrix{.target = record["target"],
                                .source = record["source"],
                                .weights = {rows.size(), rows.at(0).size()},
                                .heads = {}};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t s = 0; s < rows[t].size(); ++s) matrix.weights(t, s) = rows[t][s];
  }
  return matrix;
}

int count_of(std::string_view part, std::string_view text) {
  int count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

class AlignByModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shared_model_.make(); }
  static void TearDownTestSuite() { shared_model_.clear(); }

  test::Ended align(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"align", "--model",  model_,  "--source",
                                       source_, "--target", target_, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TempDir dir_;
  inline static test::SuiteModel shared_model_;
  std::string model_ = shared_model_.path();
  std::string source_ = dir_.write("source", "a b c\n\nd  a\na b c d\na\n").string();
  std::string target_ = dir_.write("target", "w x\nz\nz w x\n\nw y\n").string();
};

TEST_F(AlignByModel, WritesALineForEveryPair) {
  const auto ended = align({});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 5);
}

TEST_F(AlignByModel, NamesRowsAndColumnsOfTheWeights) {
  const auto records = json_lines(align({"--format", "jsonl"}).out);
  ASSERT_THAT(records, SizeIs(5));
  EXPECT_EQ(records[2]["id"], 2);
  EXPECT_EQ(records[2]["level"], "word");
  EXPECT_THAT(records[2]["source"], ElementsAre("d", "a", "</s>"));
  EXPECT_THAT(records[2]["target"], ElementsAre("z", "w", "x", "</s>"));
  EXPECT_THAT(records[1]["source"], ElementsAre("</s>"));
  for (const auto& record : records) {
    ASSERT_EQ(record["attention"].size(), record["target"].size());
    for (const auto& row : record["attention"].get<std::vector<std::vector<double>>>()) {
      ASSERT_EQ(row.size(), record["source"].size());
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
    }
  }
}

TEST_F(AlignByModel, LinksFollowTheLargestWeights) {
  const auto records = json_lines(align({"--format", "jsonl"}).out);
  std::istringstream links(align({}).out);
  ASSERT_THAT(records, SizeIs(5));
  for (const auto& record : records) {
    std::string line;
    ASSERT_TRUE(std::getline(links, line));
    EXPECT_EQ(line, align::format_pharaoh(align::extract_links(matrix_of(record))));
  }
}

TEST_F(AlignByModel, ShiftTakesTheWeightsOfTheNextStep) {
  const auto plain = json_lines(align({"--format", "jsonl"}).out);
  const auto shifted = json_lines(align({"--format", "jsonl", "--shift", "1"}).out);
  ASSERT_THAT(shifted, SizeIs(5));
  EXPECT_EQ(shifted[0]["attention"][0], plain[0]["attention"][1]);
  EXPECT_EQ(shifted[0]["attention"][1], plain[0]["attention"][2]);
}

TEST_F(AlignByModel, ScoresArePrintedAsScoreDoes) {
  const auto records = json_lines(align({"--format", "jsonl", "--level", "piece"}).out);
  const auto scores = run_program(
      {"score", "--model", model_, "--source", source_, "--target", target_, "--quiet"});
  std::istringstream lines(scores.out);
  ASSERT_THAT(records, SizeIs(5));
  for (const auto& record : records) {
    double score = 0.0;
    ASSERT_TRUE(lines >> score);
    EXPECT_NEAR(record["score"].get<double>(), score, 1e-4);
  }
}

// No weight reaches such a threshold, so nothing would be linked.
TEST_F(AlignByModel, RefusesAThresholdOutsideZeroToOne) {
  for (const char* threshold : {"nan", "1.01", "-0.1", "many"}) {
    const auto ended = align({"--threshold", threshold});
    EXPECT_EQ(ended.code, 2) << ended.out;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("--threshold"), HasSubstr(threshold)));
    EXPECT_EQ(ended.out, "");
  }
}

TEST_F(AlignByModel, JudgesItsLinksByGold) {
  const auto output = (dir_ / "links").string();
  const auto gold = dir_.write("gold", "0-0 1-1\n\n1p2\n\n0-0\n").string();
  const auto judged = align({"--gold", gold, "--output", output});
  EXPECT_EQ(judged.code, 0);
  const std::string report = run_program({"align", "--links", output, "--gold", gold}).out;
  EXPECT_EQ(judged.out, report);
  EXPECT_EQ(align({"--gold", gold}).err, report) << "on standard error, even with --quiet";
}

// Regression: the line "AER = ..." was mixed with the links of --output /dev/stdout.
TEST_F(AlignByModel, StandardOutputHoldsOnlyLinksUnderEveryName) {
  const auto gold = dir_.write("gold", "0-0 1-1\n\n1p2\n\n0-0\n").string();
  for (const char* output : {"-", "/dev/stdout"}) {
    EXPECT_EQ(align({"--gold", gold, "--output", output}).out, align({}).out) << output;
  }
}

TEST_F(AlignByModel, RefusesAnOutputThatIsAHeatmap) {
  const auto refused = [&](const char* output, const char* format) {
    const auto ended = align({"--output", (dir_ / "pictures" / output).string(), "--heatmaps",
                              (dir_ / "pictures").string(), "--heatmap-format", format});
    EXPECT_EQ(ended.code, 2) << output;
    EXPECT_THAT(ended.err, HasSubstr("is a file that --heatmaps"));
  };
  refused("index.html", "html");
  refused("000000.png", "png");
}

TEST_F(AlignByModel, NamesAGoldLinkOutsideItsSentence) {
  const auto gold = dir_.write("gold", "0-0\n\n2p0\n\n\n").string();
  const auto ended = align({"--gold", gold});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(gold + ":3:1: link 2-0 lies outside the sentence pair: source "
                                          "position 2 of a sentence of 2 words"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(AlignByModel, DrawsAPictureOfEveryPair) {
  const auto folder = dir_ / "pictures" / "new";
  EXPECT_EQ(align({"--heatmaps", folder.string()}).code, 0);
  for (const char* name : {"000000.svg", "000001.svg", "000004.svg"}) {
    EXPECT_THAT(attend::test::read_text(folder / name), HasSubstr("</svg>")) << name;
  }
}

TEST_F(AlignByModel, OutlinesGoldLinksInPictures) {
  const auto gold = dir_.write("gold", "0-0 1p1\n\n\n\n\n").string();
  EXPECT_EQ(align({"--heatmaps", (dir_ / "plain").string()}).code, 0);
  EXPECT_EQ(align({"--heatmaps", (dir_ / "marked").string(), "--gold", gold}).code, 0);
  const auto shapes = [&](const char* folder, const char* name) {
    return count_of("<path ", attend::test::read_text(dir_ / folder / name));
  };
  EXPECT_GT(shapes("marked", "000000.svg"), shapes("plain", "000000.svg"));
  EXPECT_EQ(shapes("marked", "000002.svg"), shapes("plain", "000002.svg"));
}

TEST_F(AlignByModel, CutsLongPairsWithAWarning) {
  source_ = dir_.write("source", "a b c d a b c d a b c d a b\n").string();
  target_ = dir_.write("target", "w\n").string();
  const auto ended = align({"--format", "jsonl"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("line 1 has 14 pieces, more than the model's limit of 12"));
  EXPECT_THAT(json_lines(ended.out).at(0)["source"], SizeIs(15));  // all words stay
  const auto pieces = json_lines(align({"--format", "jsonl", "--level", "piece"}).out);
  EXPECT_THAT(pieces.at(0)["source"], SizeIs(12 + 1));
}

// Regression: a line took 300 bytes of memory per byte, although only 12 pieces are needed.
TEST_F(AlignByModel, DoesNotCutAllOfAVeryLongLineIntoPieces) {
  std::string line;
  while (line.size() < std::size_t{1} << 20) line += "a b c d ";
  source_ = dir_.write("source", line + "\n").string();
  target_ = dir_.write("target", "w\n").string();
  const auto ended = align({});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("line 1 has over 32768 pieces, more than the model's limit"));
}

TEST_F(AlignByModel, NamesBothFilesAndCountsWhereTheyDiffer) {
  target_ = dir_.write("target", "w\n").string();
  const auto ended = align({});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr(source_ + " has 5 lines"), HasSubstr(target_ + " has 1")));
}

TEST_F(AlignByModel, CannotJudgePieces) {
  const auto ended = align({"--gold", source_, "--level", "piece"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--gold has word links"));
}

TEST_F(AlignByModel, NamesTheCountsOfMismatchedGold) {
  const auto gold = dir_.write("gold", "0-0\n1-1\n").string();
  const auto ended = align({"--gold", gold});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(source_ + " has 5 lines but " + gold + " has 2"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(AlignByModel, RefusesEmptyFiles) {
  source_ = target_ = dir_.write("empty", "").string();
  EXPECT_EQ(align({}).code, 0) << "without --gold, no lines give no links";
  const auto ended = align({"--gold", source_});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(source_ + ": has no lines; there is nothing to score"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(AlignByModel, JudgeNeedsGold) {
  const auto ended = align({"--judge", "covered"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--judge needs --gold"));
}

TEST_F(AlignByModel, WithoutAttentionWritesRecordsButNoLinks) {
  model_ = test::train_tiny_model(dir_, "plain", {"model.decoder.wiring=none"}).string();
  const auto links = align({});
  EXPECT_EQ(links.code, 2);
  EXPECT_THAT(links.err, AllOf(HasSubstr("--format pharaoh needs attention"),
                               HasSubstr("use gradients instead: --method saliency")));
  EXPECT_THAT(links.out, IsEmpty());
  const auto records = json_lines(align({"--format", "jsonl"}).out);
  ASSERT_THAT(records, SizeIs(5));
  EXPECT_TRUE(records[0]["attention"].is_null());
}

}  // namespace
}  // namespace attend::cli
