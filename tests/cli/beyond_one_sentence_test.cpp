// Segments of a line and several sources through the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "storage/weights_file.h"
#include "tests/cli/train_fixture.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::Ended;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

struct ReadingKind {
  std::string name;
  std::vector<std::string> settings;
  std::size_t parts;  // segments or sources of the first line
};

void PrintTo(const ReadingKind& kind, std::ostream* out) {
  *out << kind.name;
}

std::vector<std::string> all_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Lines with two segments, and two files with one source each.
class BeyondOneSentence : public test::TrainFixture,
                          public testing::WithParamInterface<ReadingKind> {
 protected:
  BeyondOneSentence() {
    std::string segments, reversed;
    for (const std::string& line : all_lines(attend::test::read_text(dir / "train.src"))) {
      segments += "d a | " + line + "\n";
      reversed += std::string(line.rbegin(), line.rend()) + "\n";
    }
    dir.write("train.segments", segments);
    dir.write("train.back", reversed);
    dir.write("dev.segments", "d a | a b\nc d\n");
    dir.write("dev.back", "b a\nd c\n");
    dir.write("dev.both", "b a\ta b\nd c\tc d\n");  // fro, to
  }

  [[nodiscard]] bool has_sources() const { return GetParam().name.starts_with("sources"); }
  [[nodiscard]] std::string input() const {
    return (dir / (has_sources() ? "dev.both" : "dev.segments")).string();
  }
  [[nodiscard]] Ended run_training(const std::string& output,
                                   std::vector<std::string> more = {}) const {
    for (std::string setting : GetParam().settings) {
      for (auto at = setting.find('@'); at != std::string::npos; at = setting.find('@'))
        setting.replace(at, 1, dir.path().string() + "/");
      more.insert(more.end(), {"--set", setting});
    }
    return train(more, output);
  }
  [[nodiscard]] Ended with_model(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin() + 1, {"--model", (dir / "run").string()});
    return test::run_program(arguments);
  }
};

TEST_P(BeyondOneSentence, TrainsResumesTranslatesScoresAndAligns) {
  Ended ended = run_training("run", {"--set", "training.max_updates=8"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(run_training("half", {"--set", "training.max_updates=4"}).code, 0);
  ended = run_training("half", {"--set", "training.max_updates=8", "--resume"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(history("half"), history("run"));

  const std::string attention = (dir / "attention.jsonl").string();
  const Ended translated = with_model({"translate", "--input", input(), "--attention", attention});
  ASSERT_EQ(translated.code, 0) << translated.err;
  EXPECT_THAT(all_lines(translated.out), SizeIs(2));
  const auto records = all_lines(attend::test::read_text(attention));
  ASSERT_THAT(records, SizeIs(2));
  const auto record = nlohmann::json::parse(records.front());
  ASSERT_THAT(record["segments"], SizeIs(record["target"].size()));
  for (const auto& row : record["segments"]) {
    ASSERT_THAT(row, SizeIs(GetParam().parts));
    EXPECT_NEAR(row[0].get<double>() + row[1].get<double>(), 1.0, 1e-5);
  }

  const std::string model = (dir / "run").string();
  const Ended twice = with_model({"translate", "--model", model, "--input", input()});
  EXPECT_EQ(twice.out, translated.out) << twice.err;
  const std::string target = (dir / "dev.tgt").string();
  const Ended scored =
      with_model({"eval", "--source", input(), "--reference", target, "--metrics", "bleu,loss"});
  EXPECT_EQ(scored.code, 0) << scored.err;
  for (const char* method : {"attention", "posterior", "saliency"}) {
    const Ended aligned =
        with_model({"align", "--source", input(), "--target", target, "--method", method});
    EXPECT_EQ(aligned.code, 0) << aligned.err;
    EXPECT_THAT(all_lines(aligned.out), SizeIs(2));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BeyondOneSentence,
    testing::Values(ReadingKind{"segments",
                                {"model.encoder.type=hierarchical", "data.segments.separator=\"|\"",
                                 "data.train.source=@train.segments",
                                 "data.dev.source=@dev.segments"},
                                2},
                    ReadingKind{"sources",
                                {"data.train.source={\"to\":@train.src,\"fro\":@train.back}",
                                 "data.dev.source={\"to\":@dev.src,\"fro\":@dev.back}"},
                                2},
                    ReadingKind{"sources_flat",
                                {"data.train.source={\"to\":@train.src,\"fro\":@train.back}",
                                 "data.dev.source={\"to\":@dev.src,\"fro\":@dev.back}",
                                 "model.sources={combination: flat, share_encoder: true}"},
                                2},
                    ReadingKind{"sources_alternating",
                                {"data.train.source={\"to\":@train.src,\"fro\":@train.back}",
                                 "data.dev.source={\"to\":@dev.src,\"fro\":@dev.back}",
                                 "model.sources.coattention=alternating"},
                                2},
                    ReadingKind{"sources_dynamic",
                                {"data.train.source={\"to\":@train.src,\"fro\":@train.back}",
                                 "data.dev.source={\"to\":@dev.src,\"fro\":@dev.back}",
                                 "model.sources.coattention=dynamic", "model.dropout.attention=0.1",
                                 "model.dropout.recurrent=0.1"},
                                2}),
    [](const auto& test_case) { return test_case.param.name; });

class SeveralSources : public test::TrainFixture {};

TEST_F(SeveralSources, AreGivenByNameOrByTabs) {
  dir.write("dev.back", "b a\nd c\n");
  dir.write("short", "b a\n");
  dir.write("dev.both", "b a\ta b\nd c\tc d\n");  // fro, to
  const std::string at = dir.path().string() + "/";
  const std::string sources = "={\"to\":" + at + "dev.src,\"fro\":" + at + "dev.back}";
  Ended ended =
      train({"--set", "data.train.source" + sources, "--set", "data.train.target=" + at + "dev.tgt",
             "--set", "data.dev.source" + sources, "--set", "training.max_updates=2"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto translate = [&](const std::string& input) {
    return test::run_program({"translate", "--model", at + "run", "--scores", "--input", input});
  };
  const Ended pasted = translate(at + "dev.both");
  ASSERT_EQ(pasted.code, 0) << pasted.err;
  EXPECT_EQ(translate("fro=" + at + "dev.back,to=" + at + "dev.src").out, pasted.out);
  dir.write("gap", "b a\ta b\n\nd c\tc d\n");
  const Ended gap = translate(at + "gap");
  ASSERT_EQ(gap.code, 0) << gap.err;
  EXPECT_EQ(std::ranges::count(gap.out, '\n'), 3) << "an empty line has a translation";
  EXPECT_NE(translate("to=" + at + "dev.back,fro=" + at + "dev.src").out, pasted.out);
  const auto refused = [&](const std::string& input, int code, const std::string& says) {
    const Ended tried = translate(input);
    EXPECT_EQ(tried.code, code) << input;
    EXPECT_THAT(tried.err, HasSubstr(says)) << input;
  };
  refused(at + "dev.src", 3, "line 1 has 1 source");
  refused("to=" + at + "dev.src", 2, "no file for the source fro");
  refused("to=" + at + "dev.src,fro=x,frp=y", 2, "did you mean \"fro\"?");
  refused("to=" + at + "dev.src,to=" + at + "dev.src", 2, "given twice");
  refused("to=" + at + "dev.src,fro=" + at + "short", 3, "has 1 lines");
  // Regression: lengths were read from a file called "fro=...", after all was translated.
  const Ended scored = test::run_program({"eval", "--model", at + "run", "--source",
                                          "fro=" + at + "dev.back,to=" + at + "dev.src",
                                          "--reference", at + "dev.tgt", "--by-length", "--json"});
  EXPECT_EQ(scored.code, 0) << scored.err;
  const Ended tagged = test::run_program(
      {"translate", "--model", at + "run", "--input", at + "dev.both", "--tag", "a"});
  EXPECT_EQ(tagged.code, 2);
  EXPECT_THAT(tagged.err, HasSubstr("reads several sources"));
}

// The line "b a<tab>a b" is b a </s> a b </s>. Each source attends to the other and, in the second
// layer, to itself.
TEST_F(SeveralSources, ShowTheirAttentionToEachOther) {
  dir.write("dev.back", "b a\nd c\n");
  const auto both = dir.write("dev.both", "b a\ta b\nd c\tc d\n");  // fro, to
  const std::string at = dir.path().string() + "/";
  const std::string sources = "={\"to\":" + at + "dev.src,\"fro\":" + at + "dev.back}";
  Ended ended =
      train({"--set", "data.train.source" + sources, "--set", "data.train.target=" + at + "dev.tgt",
             "--set", "data.dev.source" + sources, "--set", "training.max_updates=2", "--set",
             "model.sources.coattention=bidirectional"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Ended aligned =
      test::run_program({"align", "--model", at + "run", "--source", both.string(), "--target",
                         at + "dev.tgt", "--format", "jsonl", "--level", "piece",
                         "--attention-kinds", "all", "--heatmaps", at + "pictures"});
  ASSERT_EQ(aligned.code, 0) << aligned.err;
  dir.write("gold", "3-0\n0-0 2-1\n");
  const Ended judged = test::run_program({"align", "--model", at + "run", "--source", both.string(),
                                          "--target", at + "dev.tgt", "--gold", at + "gold"});
  EXPECT_EQ(judged.code, 0) << judged.err << "links count through the sources";
  const auto record = nlohmann::json::parse(all_lines(aligned.out).front());
  ASSERT_THAT(record["source"], SizeIs(6));
  EXPECT_EQ(record["source"][2], "</s>");
  const auto layers = record["kinds"]["encoder"]["layers"];
  ASSERT_THAT(layers, SizeIs(2));
  for (std::size_t layer = 0; layer < 2; ++layer) {
    ASSERT_THAT(layers[layer][0], SizeIs(6));
    for (std::size_t i = 0; i < 6; ++i) {
      double own = 0.0, other = 0.0;
      for (std::size_t j = 0; j < 6; ++j)
        (i / 3 == j / 3 ? own : other) += layers[layer][0][i][j].get<double>();
      EXPECT_NEAR(layer == 0 ? other : own, 1.0, 1e-5) << layer << " " << i;
      EXPECT_EQ(layer == 0 ? own : other, 0.0) << layer << " " << i;
    }
  }
  EXPECT_TRUE(has("pictures/000000.encoder.2.svg"));
  const Ended inspected = test::run_program(
      {"inspect", at + "run", "--source", both.string(), "--target", at + "dev.tgt"});
  EXPECT_THAT(inspected.out, testing::ContainsRegex("encoder +2 +1 "));
  const Ended sizes = test::run_program({"inspect", at + "run"});
  EXPECT_THAT(sizes.out, HasSubstr("coattention: bidirectional"));
}

}  // namespace
}  // namespace attend::cli
