#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "align/link_file.h"
#include "align/symmetrize.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using attend::test::TempDir;

/// Two models of opposite directions and one without attention.
class AlignByModels : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    models_.emplace();
    (void)test::train_tiny_model(*models_, "there", {"model.decoder.wiring=bahdanau"});
    (void)test::train_tiny_model(
        *models_, "back",
        {"data.train={source: " + model("train.tgt") + ", target: " + model("train.src") + "}"});
    (void)test::train_tiny_model(*models_, "plain", {"model.decoder.wiring=none"});
  }
  static void TearDownTestSuite() { models_.reset(); }

  static std::string model(const std::string& name) { return (*models_ / name).string(); }

  test::Ended align(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"align", "--model",  model(name), "--source",
                                       source_, "--target", target_,     "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  [[nodiscard]] align::LinkFile links_of(const test::Ended& ended) const {
    EXPECT_EQ(ended.code, 0) << ended.err;
    return {dir_.write("links", ended.out), align::LinkFormat::kPharaoh};
  }

  [[nodiscard]] std::vector<nlohmann::json> records(const std::string& name,
                                                    const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"--format", "jsonl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = align(name, arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::vector<nlohmann::json> objects;
    std::istringstream lines(ended.out);
    for (std::string line; std::getline(lines, line);) {
      objects.push_back(nlohmann::json::parse(line));
    }
    return objects;
  }

  TempDir dir_;
  inline static std::optional<TempDir> models_;
  std::string source_ = dir_.write("source", "a b c\n\nd  a\na b c d\na\n").string();
  std::string target_ = dir_.write("target", "w x\nz\nz w x\n\nw y\n").string();
};

TEST_F(AlignByModels, JoinsTheLinksOfBothDirections) {
  const auto forward = links_of(align("there", {}));
  std::swap(source_, target_);
  const auto reverse = links_of(align("back", {}));
  std::swap(source_, target_);
  for (const std::string& how : align::symmetrization_names()) {
    const auto joined =
        links_of(align("there", {"--reverse-model", model("back"), "--symmetrize", how}));
    ASSERT_EQ(joined.size(), 5U) << how;
    for (std::size_t i = 0; i < joined.size(); ++i) {
      EXPECT_EQ(joined.links(i),
                align::symmetrize(forward.links(i), align::transposed(reverse.links(i)),
                                  align::parse_symmetrization(how)))
          << how << ", line " << i + 1;
    }
  }
}

TEST_F(AlignByModels, LinksMutuallyHeaviestWords) {
  const auto joined =
      links_of(align("there", {"--reverse-model", model("back"), "--symmetrize", "mutual"}));
  const auto united = links_of(align(
      "there", {"--reverse-model", model("back"), "--symmetrize", "mutual", "--threshold", "0"}));
  ASSERT_EQ(joined.size(), 5U);
  EXPECT_THAT(joined.links(0), Not(IsEmpty()));
  for (std::size_t i = 0; i < joined.size(); ++i) {
    std::set<int64_t> sources, targets;
    for (const align::Link& link : joined.links(i)) {
      EXPECT_TRUE(sources.insert(link.source).second) << "line " << i + 1;
      EXPECT_TRUE(targets.insert(link.target).second) << "line " << i + 1;
    }
  }
  EXPECT_EQ(united.links(0).size(), 6U);  // three words times two
}

TEST_F(AlignByModels, EvaluatesJoinedLinks) {
  const auto gold = dir_.write("gold", "0-0 1-1\n\n1p2\n\n0-0\n").string();
  const auto output = (dir_ / "joined").string();
  const auto judged = align("there", {"--reverse-model", model("back"), "--symmetrize", "union",
                                      "--gold", gold, "--output", output});
  EXPECT_EQ(judged.code, 0);
  EXPECT_EQ(judged.out, run_program({"align", "--links", output, "--gold", gold}).out);
}

TEST_F(AlignByModels, NeedsASymmetrization) {
  const auto no_way = align("there", {"--reverse-model", model("back")});
  EXPECT_EQ(no_way.code, 2);
  EXPECT_THAT(no_way.err, HasSubstr("--reverse-model needs --symmetrize"));
  const auto no_model = align("there", {"--symmetrize", "union"});
  EXPECT_EQ(no_model.code, 2);
  EXPECT_THAT(no_model.err, HasSubstr("give the target-to-source model as --reverse-model"));
  const auto unknown =
      align("there", {"--reverse-model", model("back"), "--symmetrize", "grow-diag-finl"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"grow-diag-final\"?"));
}

TEST_F(AlignByModels, JoinsNeitherPiecesNorWeights) {
  const std::vector<std::string> both{"--reverse-model", model("back"), "--symmetrize", "union"};
  auto pieces = both;
  pieces.insert(pieces.end(), {"--level", "piece"});
  EXPECT_EQ(align("there", pieces).code, 2);
  auto weights = both;
  weights.insert(weights.end(), {"--format", "jsonl"});
  EXPECT_EQ(align("there", weights).code, 2);
}

TEST_F(AlignByModels, NeedsAttentionBothWays) {
  const auto ended =
      align("there", {"--reverse-model", model("plain"), "--symmetrize", "intersect"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("--reverse-model needs attention"), HasSubstr("--method saliency")));
}

TEST_F(AlignByModels, SaliencyServesAModelWithoutAttention) {
  EXPECT_EQ(links_of(align("plain", {"--method", "saliency"})).size(), 5U);
  const auto found = records("plain", {"--method", "saliency"});
  ASSERT_THAT(found, SizeIs(5));
  EXPECT_EQ(found[0]["target"].size(), 3U);
  for (const auto& row : found[0]["attention"].get<std::vector<std::vector<double>>>()) {
    ASSERT_THAT(row, SizeIs(4));
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
  }
}

TEST_F(AlignByModels, SaliencyIsNotAttention) {
  const auto attention = records("there", {});
  const auto saliency = records("there", {"--method", "saliency"});
  ASSERT_THAT(saliency, SizeIs(5));
  EXPECT_NE(saliency[0]["attention"], attention[0]["attention"]);
  EXPECT_EQ(saliency[0]["score"], attention[0]["score"]);
}

TEST_F(AlignByModels, SaliencyNoiseDependsOnTheSeedAlone) {
  const std::vector<std::string> noisy{"--method", "saliency", "--saliency-samples", "2"};
  auto seeded = noisy;
  seeded.insert(seeded.end(), {"--seed", "8"});
  EXPECT_EQ(records("plain", noisy), records("plain", noisy));
  EXPECT_NE(records("plain", noisy), records("plain", seeded));
}

TEST_F(AlignByModels, SaliencyHasNoShift) {
  const auto ended = align("there", {"--method", "saliency", "--shift", "1"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--shift needs --method attention"));
  const auto samples = align("there", {"--saliency-samples", "3"});
  EXPECT_EQ(samples.code, 2);
  EXPECT_THAT(samples.err, HasSubstr("--saliency-samples needs --method saliency"));
}

TEST_F(AlignByModels, PosteriorNeedsAttentionAndDiffersFromIt) {
  const auto attention = records("there", {});
  const auto posterior = records("there", {"--method", "posterior"});
  ASSERT_THAT(posterior, SizeIs(5));
  EXPECT_NE(posterior[0]["attention"], attention[0]["attention"]);
  EXPECT_EQ(posterior[0]["score"], attention[0]["score"]);
  const auto ended = align("plain", {"--method", "posterior", "--format", "jsonl"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--method needs attention"));
}

TEST_F(AlignByModels, WritesOnePageForTheFile) {
  const auto folder = dir_ / "page";
  const auto ended = align("there", {"--heatmaps", folder.string(), "--heatmap-format", "html"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 5);
  EXPECT_THAT(attend::test::read_text(folder / "index.html"), HasSubstr("</html>"));
}

TEST_F(AlignByModels, ShowsTwoModelsOnThePage) {
  const auto folder = dir_ / "page";
  const auto ended = align("there", {"--heatmaps", folder.string(), "--heatmap-format", "html",
                                     "--compare-model", model("back")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(attend::test::read_text(folder / "index.html"),
              AllOf(HasSubstr("there"), HasSubstr("back")));
}

TEST_F(AlignByModels, ComparesOnlyOnThePage) {
  const auto ended =
      align("there", {"--heatmaps", (dir_ / "x").string(), "--compare-model", model("back")});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--compare-model needs --heatmaps DIR --heatmap-format html"));
}

/// A pipe that can be read once.
class Pipe {
 public:
  Pipe(std::filesystem::path path, std::string content) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
    writer_ = std::thread([this, content] { std::ofstream(path_) << content; });
  }
  ~Pipe() { writer_.join(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

 private:
  std::filesystem::path path_;
  std::thread writer_;
};

TEST_F(AlignByModels, ChecksGoldOfSentencesFromAPipe) {
  source_ = (dir_ / "pipe").string();
  target_ = dir_.write("target", "w x\nz\n").string();
  const auto gold = dir_.write("gold", "0-0\n0-0 0-1\n").string();
  const Pipe pipe(source_, "a b\nc\n");
  const auto ended = align("there", {"--gold", gold});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(gold + ":2:5: link 0-1 lies outside"));
}

TEST_F(AlignByModels, CountsSentencesFromAPipe) {
  source_ = (dir_ / "pipe").string();
  target_ = dir_.write("target", "w x\nz\n").string();
  const auto gold = dir_.write("gold", "0-0\n").string();
  const Pipe pipe(source_, "a b\nc\n");
  const auto output = dir_ / "links";
  const auto ended = align("there", {"--gold", gold, "--output", output.string()});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(source_ + " has 2 lines but " + gold + " has 1"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST_F(AlignByModels, ScoreKeepsThePiecesOfLongLines) {
  const std::string twelve = "a b c d a b c d a b c d";
  source_ = dir_.write("source", twelve + "\n" + twelve + " d d\n").string();
  target_ = dir_.write("target", "w\nw\n").string();
  const auto ended = run_program(
      {"score", "--model", model("there"), "--source", source_, "--target", target_, "--quiet"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, IsEmpty());
  std::istringstream lines(ended.out);
  std::string cut;
  std::string whole;
  lines >> cut >> whole;
  EXPECT_THAT(whole, Not(IsEmpty()));
  EXPECT_NE(whole, cut);
}

}  // namespace
}  // namespace attend::cli
