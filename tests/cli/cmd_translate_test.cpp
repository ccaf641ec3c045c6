#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<nlohmann::json> json_lines_in(const std::filesystem::path& file) {
  std::vector<nlohmann::json> objects;
  for (const auto& line : lines_of(read_text(file))) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

/// The texts and scores of Moses lines.
struct Scored {
  std::vector<std::string> texts;  // "id ||| text"
  std::vector<double> scores;
};

Scored split_scores(const std::string& output) {
  Scored scored;
  for (const auto& line : lines_of(output)) {
    const auto end = line.rfind(" ||| ");
    scored.texts.push_back(line.substr(0, end));
    scored.scores.push_back(std::stod(line.substr(end + 5)));
  }
  return scored;
}

void expect_same(const std::string& a, const std::string& b) {
  const auto first = split_scores(a);
  const auto second = split_scores(b);
  ASSERT_EQ(first.texts, second.texts);
  for (std::size_t i = 0; i < first.scores.size(); ++i) {
    EXPECT_NEAR(first.scores[i], second.scores[i], 1e-4);
  }
}

/// An untrained model and some lines for it, the second one empty. The model is made once and
/// copied for every test.
class Translate : public ::testing::Test {
 protected:
  struct Original {
    TempDir dir;
    std::filesystem::path model = test::train_tiny_model(dir, "model", {});
  };

  static void SetUpTestSuite() { original_ = new Original; }
  static void TearDownTestSuite() { delete original_; }

  Translate() {
    std::filesystem::copy(original_->model, model_, std::filesystem::copy_options::recursive);
  }

  [[nodiscard]] Ended translate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"translate", "--model", model_.string(), "--input",
                                         input_.string(), "--device", "cpu"});
    return test::run_program(arguments);
  }
  [[nodiscard]] std::string file(const char* name) const { return (dir_ / name).string(); }

  static inline Original* original_ = nullptr;
  TempDir dir_;
  std::filesystem::path model_ = dir_ / "model";
  std::filesystem::path input_ =
      dir_.write("input", "a b c\n\nd\nb b b b b\nc d\nd c b a\na\nb c\n");
};

TEST_F(Translate, WritesALineForEachLine) {
  const auto ended = translate({});

  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto lines = lines_of(ended.out);
  ASSERT_THAT(lines, SizeIs(8));
  EXPECT_EQ(lines[1], "");
}

TEST_F(Translate, GivesTheSameWhateverTheBatchSize) {
  const auto one_by_one = translate({"--batch-size", "1", "--scores"});
  const auto together = translate({"--batch-size", "8", "--scores"});

  EXPECT_THAT(lines_of(together.out), SizeIs(8));
  expect_same(one_by_one.out, together.out);
}

TEST_F(Translate, GivesTheSameBytesInBatchesOfTokens) {
  const std::string one_by_one = translate({"--batch-size", "1", "--scores"}).out;
  for (const char* size : {"1", "11", "12", "1000000"}) {
    const auto ended = translate({"--batch-unit", "tokens", "--batch-size", size, "--scores"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out, one_by_one) << size << " tokens";
  }
}

/// Lines of up to nine words, some empty, for several rounds of batches.
std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int word = 0; word < i * 7 % 10; ++word) {
      text += static_cast<char>('a' + (i + word * word) % 5);
      text += ' ';
    }
    text += '\n';
  }
  return text;
}

TEST_F(Translate, GivesTheSameBytesWithAnyNumberOfThreads) {
  dir_.write("input", many_lines(500));
  const auto run = [&](const char* threads) {
    const std::string attention = file("attention") + threads;
    auto ended = translate({"--threads", threads, "--n-best", "2", "--attention", attention});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out + read_text(attention);
  };
  const std::string alone = run("1");
  EXPECT_GT(lines_of(alone).size(), 1500U);
  for (const char* threads : {"2", "4", "4"}) EXPECT_TRUE(run(threads) == alone) << threads;
}

TEST_F(Translate, WritesNBestListsInMosesForm) {
  const auto ended = translate({"--beam", "3", "--n-best", "3"});

  const auto lines = lines_of(ended.out);
  ASSERT_THAT(lines, SizeIs(7 * 3 + 1));
  const std::regex form(R"(\d+ \|\|\| .* \|\|\| -?\d+\.\d{6})");
  for (const auto& line : lines) EXPECT_TRUE(std::regex_match(line, form)) << line;
  EXPECT_THAT(lines[2], StartsWith("0 ||| "));
  EXPECT_EQ(lines[3], "1 |||  ||| 0.000000");
  EXPECT_THAT(lines[4], StartsWith("2 ||| "));
}

TEST_F(Translate, WritesFilesAndNothingOnStandardOutput) {
  const auto ended = translate({"--output", file("out")});

  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(lines_of(read_text(file("out"))), SizeIs(8));
}

TEST_F(Translate, WritesAttentionThatSumsToOneAndHasANameForEachRowAndColumn) {
  const auto ended =
      translate({"--beam", "3", "--n-best", "2", "--attention", file("attention.jsonl")});

  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto objects = json_lines_in(file("attention.jsonl"));
  ASSERT_THAT(objects, SizeIs(7 * 2 + 1));
  for (const auto& object : objects) {
    if (object["id"] == 1) continue;
    EXPECT_EQ(object["source"].back(), "</s>");
    EXPECT_EQ(object["target"].back(), "</s>");
    ASSERT_EQ(object["attention"].size(), object["target"].size());
    for (const auto& row : object["attention"]) {
      ASSERT_EQ(row.size(), object["source"].size());
      const auto weights = row.get<std::vector<double>>();
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-5);
    }
  }
  EXPECT_EQ(objects[1]["rank"], 1);
  EXPECT_EQ(objects[0]["source"].size(), 4U);
}

TEST_F(Translate, GivesAnEmptyLineAnObjectWithoutAttention) {
  (void)translate({"--attention", file("attention.jsonl"), "--level", "word"});

  const auto objects = json_lines_in(file("attention.jsonl"));
  ASSERT_THAT(objects, SizeIs(8));
  EXPECT_EQ(objects[1]["id"], 1);
  EXPECT_TRUE(objects[1]["attention"].is_null());
  EXPECT_EQ(objects[2]["level"], "word");
}

TEST_F(Translate, WritesLinksWithinBothLines) {
  const auto ended = translate({"--alignments", file("links")});

  const auto links = lines_of(read_text(file("links")));
  const auto texts = lines_of(ended.out);
  ASSERT_THAT(links, SizeIs(8));
  EXPECT_EQ(links[1], "");
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto words = lines_of(std::regex_replace(texts[i], std::regex(" "), "\n")).size();
    const std::regex link(R"((\d+)-(\d+))");
    for (std::sregex_iterator at(links[i].begin(), links[i].end(), link), end; at != end; ++at) {
      EXPECT_LT(std::stoul((*at)[1]), 5U);
      EXPECT_LT(std::stoul((*at)[2]), words);
    }
  }
}

TEST_F(Translate, DrawsAPictureForEachLineThatIsNotEmpty) {
  const auto ended = translate({"--heatmaps", file("pictures"), "--heatmap-format", "svg"});

  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(std::filesystem::exists(dir_ / "pictures" / "000000.svg"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "pictures" / "000001.svg"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "pictures" / "000007.svg"));
}

TEST_F(Translate, WritesOnePageForAllLinesAndHypotheses) {
  const auto ended =
      translate({"--heatmaps", file("page"), "--heatmap-format", "html", "--n-best", "2"});

  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string page = attend::test::read_text(dir_ / "page" / "index.html");
  const std::regex sentence("class=\"sentence\">\\{\"id\":(\\d+),\"rank\":(\\d+)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(page.begin(), page.end(), sentence), end; at != end; ++at)
    found.push_back((*at)[1].str() + "." + (*at)[2].str());
  // Line 1 is empty and has one empty translation.
  EXPECT_THAT(found, ElementsAre("0.0", "0.1", "1.0", "2.0", "2.1", "3.0", "3.1", "4.0", "4.1",
                                 "5.0", "5.1", "6.0", "6.1", "7.0", "7.1"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_ / "page"), {}), 1);
}

// Regression: both were read from the same standard input.
TEST_F(Translate, RefusesToReadStandardInputForBothTextAndPrefixes) {
  const auto ended = test::run_program({"translate", "--model", model_.string(), "--input", "-",
                                        "--prefix", "-", "--device", "cpu"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("standard input (\"-\") is given twice"));
}

TEST_F(Translate, RefusesTwoOutputsInOneFileUnderTwoNames) {
  std::filesystem::create_symlink(dir_ / "out", dir_ / "link");
  const auto ended = translate({"--output", file("out"), "--attention", file("link")});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("two of --output, --attention, --alignments and --word-scores"));
}

TEST_F(Translate, WritesTheProbabilityOfEachWordAndMarksUnsureLines) {
  const auto ended = translate(
      {"--output", file("out"), "--word-scores", file("scores.jsonl"), "--review-below", "1"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto texts = lines_of(read_text(dir_ / "out"));
  const auto scores = json_lines_in(dir_ / "scores.jsonl");
  ASSERT_EQ(scores.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto words = scores[i].at("words").get<std::vector<std::string>>();
    EXPECT_EQ(fmt::format("{}", fmt::join(words, " ")), texts[i]);
    EXPECT_EQ(scores[i].at("probabilities").size(), scores[i].at("words").size());
    const bool translated = i != 1;  // line 1 is empty
    EXPECT_EQ(scores[i].contains("review"), translated) << "line " << i;
  }
  EXPECT_THAT(ended.err, HasSubstr("translations have a confidence below 1"));
}

TEST_F(Translate, RefusesAThresholdWithoutWordScores) {
  const auto ended = translate({"--review-below", "0.5"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("it marks lines in --word-scores; give both"));
}

// Regression: the translations overwrote the log.
TEST_F(Translate, RefusesALogThatIsAnOutput) {
  for (const char* option : {"--output", "--attention", "--alignments"}) {
    const auto ended = translate({option, file("x"), "--log-file", file("x")});
    EXPECT_EQ(ended.code, 2) << option;
    EXPECT_THAT(ended.err, HasSubstr("--log-file"));
  }
}

// Regression: the page overwrote the translations, with exit code 0.
TEST_F(Translate, RefusesAnOutputThatIsAHeatmap) {
  std::filesystem::create_directory(dir_ / "pictures");
  std::filesystem::create_symlink(dir_ / "pictures", dir_ / "link");
  const auto refused = [&](const char* output, const char* format) {
    const auto ended = translate(
        {"--output", file(output), "--heatmaps", file("pictures"), "--heatmap-format", format});
    EXPECT_EQ(ended.code, 2) << output;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("--output"), HasSubstr("is a file that --heatmaps")));
  };
  refused("pictures/index.html", "html");
  refused("link/index.html", "html");
  refused("link/000001.svg", "svg");
  EXPECT_EQ(
      translate({"--output", file("pictures/index.html"), "--heatmaps", file("pictures")}).code, 0);
}

TEST_F(Translate, KnowsTheFormatsOfHeatmaps) {
  const auto ended = translate({"--heatmaps", file("pictures"), "--heatmap-format", "gif"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("svg, png, pdf, html"));
}

TEST_F(Translate, KeepsThePrefixOfEachLine) {
  const auto prefixes = dir_.write("prefixes", "x y\nx\n\nw w\nz\ny\nx\nw\n");

  const auto lines = lines_of(translate({"--prefix", prefixes.string()}).out);

  ASSERT_THAT(lines, SizeIs(8));
  EXPECT_THAT(lines[0], StartsWith("x y"));
  EXPECT_EQ(lines[1], "");
  EXPECT_THAT(lines[3], StartsWith("w w"));
}

// Regression: the character became U+2047.
TEST_F(Translate, KeepsAnUnknownCharacterOfAPrefix) {
  const auto prefixes = dir_.write("prefixes", "x ☃ y\nx\n\nw w\nz\ny\nx\nw\n");

  const auto lines = lines_of(translate({"--prefix", prefixes.string()}).out);

  ASSERT_THAT(lines, SizeIs(8));
  EXPECT_THAT(lines[0], StartsWith("x ☃ y"));
}

TEST_F(Translate, NamesBothCountsIfPrefixesAreMissing) {
  const auto prefixes = dir_.write("prefixes", "x\ny\n");

  const auto ended = translate({"--prefix", prefixes.string()});

  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("has 8 lines"), HasSubstr("has 2")));
}

TEST_F(Translate, SamplesTheSameForTheSameSeedAndAnyBatchSize) {
  const std::vector<std::string> sampling{"--sample", "--n-best", "4", "--seed", "5"};
  auto small = sampling;
  small.insert(small.end(), {"--batch-size", "1"});
  auto other = sampling;
  other.back() = "6";

  const auto first = translate(sampling);
  EXPECT_THAT(lines_of(first.out), SizeIs(7 * 4 + 1));
  expect_same(first.out, translate(small).out);
  EXPECT_NE(first.out, translate(other).out);
}

TEST_F(Translate, CutsLongLinesAndNamesThem) {
  const auto input = dir_.write("long", "a\na b c d a b c d a b c d a b c d\nb\n").string();

  const auto ended = test::run_program({"translate", "--model", model_.string(), "--input", input});

  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(lines_of(ended.out), SizeIs(3));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("line 2 has 16 pieces"), HasSubstr("limit of 12")));
}

// The order of the models does not matter.
TEST_F(Translate, AnEnsembleWarnsIfAnyModelCutsTheLine) {
  const auto shorter = test::train_tiny_model(dir_, "shorter", {"data.max_length=3"});
  const auto input = dir_.write("long", "a\na b c d\nb\n").string();
  for (const bool first : {false, true}) {
    const auto ended = test::run_program(
        {"translate", "--model", (first ? shorter : model_).string(), "--model",
         (first ? model_ : shorter).string(), "--input", input, "--long-lines", "skip"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(lines_of(ended.out).at(1), "");
    EXPECT_THAT(ended.err, AllOf(HasSubstr("line 2 has 4 pieces"), HasSubstr("limit of 3")));
  }
}

// Regression: two to five such lines were named and then counted again.
TEST_F(Translate, CountsLongLinesOnlyIfSomeAreNotNamed) {
  const auto warnings = [&](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "a b c d a b c d a b c d a b c d\n";
    const auto input = dir_.write("long", text).string();
    return test::run_program({"translate", "--model", model_.string(), "--input", input}).err;
  };
  EXPECT_THAT(warnings(5), AllOf(HasSubstr("line 5 has"), Not(HasSubstr("5 lines were"))));
  EXPECT_THAT(warnings(6), AllOf(Not(HasSubstr("line 6 has")), HasSubstr("6 lines were too long")));
}

TEST_F(Translate, SkipsLongLinesIfToldTo) {
  const auto input = dir_.write("long", "a\na b c d a b c d a b c d a b c d\nb\n").string();

  const auto ended = test::run_program(
      {"translate", "--model", model_.string(), "--input", input, "--long-lines", "skip"});

  const auto lines = lines_of(ended.out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[1], "");
  EXPECT_THAT(ended.err, HasSubstr("--long-lines skip"));
}

TEST_F(Translate, WarnsOnceOfInvalidBytes) {
  const auto input = dir_.write("bad", "a b\nc \xFF\xFE d\n\xFF\n").string();

  const auto ended = test::run_program({"translate", "--model", model_.string(), "--input", input});

  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(lines_of(ended.out), SizeIs(3));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("UTF-8"), HasSubstr("line 2")));
}

TEST_F(Translate, AveragesSeveralModels) {
  const auto other = test::train_tiny_model(dir_, "other", {"seed=4"}).string();

  const auto alone = translate({"--scores"});
  const auto twice = translate({"--scores", "--model", model_.string()});
  const auto both = translate({"--scores", "--model", other});

  EXPECT_EQ(both.code, 0) << both.err;
  expect_same(alone.out, twice.out);
  EXPECT_NE(alone.out, both.out);
  EXPECT_THAT(lines_of(both.out), SizeIs(8));
}

TEST_F(Translate, WeighsSeveralModels) {
  const auto other = test::train_tiny_model(dir_, "other", {"seed=4"}).string();
  const auto weighed = [&](const std::string& first, const std::string& second) {
    return test::run_program({"translate", "--model", model_.string() + first, "--model",
                              other + second, "--input", input_.string(), "--scores"});
  };

  const auto plain = weighed("", "");
  const auto first_alone = weighed(":1e9", ":1e-9");
  const auto mixed = weighed(":3", ":1");

  EXPECT_EQ(mixed.code, 0) << mixed.err;
  EXPECT_EQ(weighed(":0.5", ":0.5").out, plain.out) << "bit for bit";
  EXPECT_EQ(weighed(":0.75", ":0.25").out, mixed.out);
  EXPECT_NE(mixed.out, plain.out);
  expect_same(first_alone.out, translate({"--scores"}).out);
}

TEST_F(Translate, NeedsAllWeightsOfAnEnsembleOrNone) {
  const auto ended = translate({"--model", model_.string() + ":2"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--model " + model_.string() + ":2 has a weight"),
                               HasSubstr("give every model of an ensemble one, or none")));
}

// Regression: the vocabularies differed, because each seed sampled other lines for the tokenizer.
TEST_F(Translate, AveragesModelsOfSeveralSeedsWithSampledTokenizerLines) {
  const std::string few = "tokenizer.training_lines=1";
  const auto one = test::train_tiny_model(dir_, "one", {few, "seed=1"}).string();
  for (const char* seed : {"2", "3", "4", "5"}) {
    const auto other = test::train_tiny_model(dir_, "other" + std::string(seed),
                                              {few, "seed=" + std::string(seed)});
    const auto ended = test::run_program(
        {"translate", "--model", one, "--model", other.string(), "--input", input_.string()});
    EXPECT_EQ(ended.code, 0) << ended.err;
  }
}

TEST_F(Translate, RefusesModelsOfDifferentTargetVocabularies) {
  const auto other = test::train_tiny_model(dir_, "other", {"tokenizer.vocabulary=7"}).string();

  const auto ended = translate({"--model", other});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("different target vocabularies"));
}

TEST_F(Translate, NeedsAttentionForAlignments) {
  const auto plain =
      test::train_tiny_model(dir_, "plain", {"model.decoder.wiring=answer"}).string();

  const auto refused = test::run_program(
      {"translate", "--model", plain, "--input", input_.string(), "--alignments", file("links")});
  const auto null = test::run_program({"translate", "--model", plain, "--input", input_.string(),
                                       "--attention", file("attention.jsonl")});

  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("wiring: answer"));
  EXPECT_EQ(null.code, 0);
  EXPECT_THAT(json_lines_in(file("attention.jsonl"))[0]["attention"].is_null(), true);
}

TEST_F(Translate, NamesTheNearestModelFolder) {
  const auto ended = test::run_program({"translate", "--model", file("modle")});

  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"model\"?"));
}

TEST_F(Translate, NamesMissingFilesOfAModelFolder) {
  std::filesystem::remove(model_ / "best.safetensors");
  std::filesystem::remove(model_ / "last.safetensors");

  const auto ended = translate({});

  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("has neither best.safetensors nor last.safetensors"));
}

TEST_F(Translate, NamesMissingTokenizersOfAModelFolder) {
  std::filesystem::remove(model_ / "target.model");
  const auto half = translate({});
  EXPECT_EQ(half.code, 3);
  EXPECT_THAT(half.err, HasSubstr("has source.model but no target.model"));

  std::filesystem::remove(model_ / "source.model");
  const auto none = translate({});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("neither joint.model nor source.model and target.model"));
}

TEST_F(Translate, FallsBackToTheLastWeights) {
  std::filesystem::remove(model_ / "best.safetensors");

  EXPECT_EQ(translate({}).code, 0);
}

TEST_F(Translate, WorksAfterTheModelMoved) {
  std::filesystem::rename(test::train_tiny_model(dir_, "fresh", {}), dir_ / "moved");
  std::filesystem::remove(dir_ / "train.src");

  const auto ended =
      test::run_program({"translate", "--model", file("moved"), "--input", input_.string()});

  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(Translate, RejectsPlainOperationsInAnUnsupportedPrecision) {
  if (!attend::test::tested_device().is_cpu()) GTEST_SKIP() << "only the CPU has int8";
  const auto ended = translate({"--kernels", "plain", "--precision", "int8"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("decoding in int8 needs fused kernels"));
}

TEST_F(Translate, RejectsMoreHypothesesThanTheBeamHolds) {
  const auto ended = translate({"--n-best", "3"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("n-best size is 3, but the beam only 2"));
}

TEST_F(Translate, RejectsTwoOutputsInOneFile) {
  const auto ended = translate({"--output", "-", "--attention", "-"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("standard output"));
}

TEST_F(Translate, RejectsTemperatureWithoutSampling) {
  const auto ended = translate({"--temperature", "0.5"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--sample"));
}

TEST_F(Translate, ScoresLikeAttendScore) {
  const auto translated = translate({"--beam", "4", "--n-best", "4", "--length-penalty", "0"});
  std::string sources;
  std::string targets;
  std::vector<double> expected;
  const auto inputs = lines_of(read_text(input_));
  for (const auto& line : lines_of(translated.out)) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, std::regex(R"((\d+) \|\|\| (.*) \|\|\| (.*))")));
    if (parts[1] == "1") continue;
    sources += inputs[std::stoul(parts[1])] + "\n";
    targets += parts[2].str() + "\n";
    expected.push_back(std::stod(parts[3]));
  }
  const auto scored = test::run_program({"score", "--model", model_.string(), "--source",
                                         dir_.write("s", sources).string(), "--target",
                                         dir_.write("t", targets).string()});

  const auto scores = lines_of(scored.out);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(std::stod(scores[i]), expected[i], 1e-4);
  }
}

TEST_F(Translate, ScoreNamesBothFilesAndCountsWhereTheyDiffer) {
  const auto target = dir_.write("t", "x\ny\n").string();

  const auto ended = test::run_program(
      {"score", "--model", model_.string(), "--source", input_.string(), "--target", target});

  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("8 lines"), HasSubstr("2")));
}

TEST_F(Translate, InspectShowsSizesHistoryAndConfig) {
  const auto ended = test::run_program({"inspect", model_.string()});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("vocabulary  source 8, target 8"),
                               HasSubstr("target_embedding"), HasSubstr("wiring: luong")));
}

TEST_F(Translate, ChoosesByMinimumBayesRiskAmongTheBeamOrSamples) {
  for (const std::vector<std::string>& candidates :
       {std::vector<std::string>{"--beam", "6"}, {"--sample", "--mbr-candidates", "20"}}) {
    std::vector<std::string> arguments = {"--mbr", "--n-best", "3", "--attention", file("a.jsonl")};
    arguments.insert(arguments.end(), candidates.begin(), candidates.end());
    const auto ended = translate(arguments);
    ASSERT_EQ(ended.code, 0) << ended.err;
    const Scored scored = split_scores(ended.out);
    EXPECT_EQ(json_lines_in(file("a.jsonl")).size(), scored.texts.size());
    for (std::size_t i = 0; i < scored.texts.size(); ++i) {
      EXPECT_THAT(scored.scores[i], AllOf(::testing::Ge(0.0), ::testing::Le(100.0)));
      const bool same_line = i > 0 && scored.texts[i].front() == scored.texts[i - 1].front();
      if (!same_line) continue;
      EXPECT_LE(scored.scores[i], scored.scores[i - 1]);
      EXPECT_NE(scored.texts[i], scored.texts[i - 1]) << "texts are distinct";
    }
  }
}

TEST_F(Translate, OfAnEnsembleMayBeChosenByMinimumBayesRisk) {
  const auto ended = translate({"--mbr", "bleu", "--model", model_.string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(lines_of(ended.out), SizeIs(8));
}

TEST_F(Translate, RefusesMoreOutputsThanMinimumBayesRiskCandidates) {
  const auto more = translate({"--mbr", "--n-best", "4", "--mbr-candidates", "3"});
  EXPECT_EQ(more.code, 2);
  EXPECT_THAT(more.err, HasSubstr("--n-best 4 exceeds the 3 candidates of --mbr"));
  const auto beam = translate({"--mbr", "--mbr-candidates", "30"});
  EXPECT_EQ(beam.code, 2);
  EXPECT_THAT(beam.err,
              AllOf(HasSubstr("--mbr-candidates 30 exceeds --beam"), HasSubstr("raise --beam")));
  const auto weights = translate({"--mbr", "--sample", "--mbr-weights", "model"});
  EXPECT_EQ(weights.code, 2);
  EXPECT_THAT(weights.err, HasSubstr("--mbr-weights would have no effect"));
  const auto unknown = translate({"--mbr", "ter"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("choices: chrf, bleu"));
  const auto alone = translate({"--mbr-candidates", "3"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--mbr"));
}

// Symptom: the last weights were used without a word if best.safetensors was a link to nowhere.
TEST(BestWeights, ThatAreALinkToNowhereAreNamed) {
  const TempDir dir;
  const auto model = test::train_tiny_model(dir, "model", {});
  std::filesystem::remove(model / "best.safetensors");
  std::filesystem::create_symlink("elsewhere", model / "best.safetensors");
  const auto ended = test::run_program({"translate", "--model", model.string(), "--input",
                                        dir.write("input", "a b c\n").string(), "--device", "cpu"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err,
              HasSubstr("best.safetensors: is a link to elsewhere, which does not exist"));
}

TEST(CopyUnknown, CopiesWordsThatTheVocabularyLacks) {
  const TempDir dir;
  // The vocabulary has one word of each language, and most words of the training text are unknown.
  const auto model = test::train_tiny_model(
      dir, "model", {"tokenizer.vocabulary=5", "data.max_unknown=1", "training.max_updates=40"});
  const auto translate = [&](std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"translate", "--model", model.string(), "--input",
                    dir.write("input", "a b c\n").string(), "--device", "cpu", "--quiet"});
    return test::run_program(options).out;
  };
  EXPECT_THAT(translate({}), Not(HasSubstr("b")));
  EXPECT_THAT(translate({"--copy-unknown"}), AllOf(HasSubstr("b"), Not(HasSubstr("\u2047"))));
}

}  // namespace
}  // namespace attend::cli
