// Transformers, hybrids and ssru through the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/product/packed_weight.h"
#include "storage/weights_file.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using attend::test::TempDir;
using test::Ended;
using testing::HasSubstr;
using testing::SizeIs;

using KeySettings = std::vector<std::string>;

/// Resets the recurrent settings of the tiny model and sets two transformer layers.
KeySettings small_stack(const std::string& side, const std::string& type) {
  const std::string hidden = side == "encoder" ? "256" : "512";
  return {"model." + side + "={type: " + type + ", cell: lstm, hidden: " + hidden +
          ", layers: 2, heads: 2, width: 16, feed_forward: 32}"};
}

KeySettings all_of(std::vector<KeySettings> all) {
  KeySettings settings;
  for (const KeySettings& some : all) settings.insert(settings.end(), some.begin(), some.end());
  return settings;
}

struct ModelFamily {
  std::string name;
  KeySettings settings;
};

void PrintTo(const ModelFamily& family, std::ostream* out) {
  *out << family.name;
}

std::vector<ModelFamily> model_families() {
  return {{"transformer",
           all_of({small_stack("encoder", "transformer"), small_stack("decoder", "transformer")})},
          {"ssru", all_of({small_stack("encoder", "transformer"), small_stack("decoder", "ssru")})},
          {"gru", all_of({small_stack("encoder", "transformer"), small_stack("decoder", "gru")})},
          {"hybrid", small_stack("encoder", "transformer")},
          {"reverse_hybrid", small_stack("decoder", "transformer")}};
}

std::vector<std::string> rows_of_text(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Ended translation_by(const std::string& model, const std::string& source, const KeySettings& more) {
  KeySettings arguments = {"translate", "--model", model, "--input", source, "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return test::run_program(arguments);
}

class TransformerProgram : public testing::TestWithParam<ModelFamily> {
 protected:
  std::string train(const std::string& name, const KeySettings& more) const {
    return test::train_tiny_model(dir_, name, all_of({GetParam().settings, more})).string();
  }

  TempDir dir_;
};

TEST_P(TransformerProgram, LearnsItsTrainingText) {
  const std::string model =
      train("model", {"training.max_updates=150", "training.learning_rate=0.01",
                      "model.embedding=16", "training.max_epochs=0", "training.warmup_updates=20"});
  const auto source = dir_.write("source", "a b c\nb c d\nc d a b\nd a\n").string();
  const Ended ended = translation_by(model, source, {"--beam", "3"});
  EXPECT_EQ(ended.out, "w x y\nx y z\ny z w x\nz w\n") << ended.err;
}

TEST_P(TransformerProgram, DryRunReportsADecoderWithoutInitialState) {
  (void)train("tiny", {});
  KeySettings arguments = {"train",
                           (dir_ / "tiny.yaml").string(),
                           "--dry-run",
                           "--output",
                           (dir_ / "new").string(),
                           "--device",
                           "cpu",
                           "--quiet"};
  for (const std::string& setting : GetParam().settings)
    arguments.insert(arguments.end(), {"--set", setting});
  const Ended ended = test::run_program(arguments);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, testing::HasSubstr("shapes of the first batch"));
}

TEST_P(TransformerProgram, ResumesAsIfItHadNotStopped) {
  const KeySettings drops = {"model.dropout={embedding: 0.1, layer: 0.2, attention: 0.1}"};
  KeySettings settings = all_of({GetParam().settings, drops});
  for (const char* side : {"encoder", "decoder"}) {
    const bool stacked =
        GetParam().name != (std::string(side) == "encoder" ? "reverse_hybrid" : "hybrid");
    if (stacked) settings.push_back("model." + std::string(side) + ".layer_drop=0.3");
  }
  const auto with = [&](const std::string& updates) {
    return all_of({settings, {"training.max_updates=" + updates}});
  };
  const std::string whole = test::train_tiny_model(dir_, "whole", with("4")).string();
  const std::string stopped = test::train_tiny_model(dir_, "stopped", with("2")).string();
  KeySettings arguments = {"train",    (dir_ / "stopped.yaml").string(),
                           "--output", stopped,
                           "--device", "cpu",
                           "--quiet",  "--resume"};
  for (const std::string& setting : with("4")) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const Ended ended = test::run_program(arguments);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto resumed = storage::load_tensors(stopped + "/last.safetensors").tensors;
  for (const auto& [name, tensor] : storage::load_tensors(whole + "/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(resumed.at(name), tensor)) << name;
  }
}

TEST_P(TransformerProgram, TranslatesAllLinesWithAllOptions) {
  const std::string model = train("model", {"training.max_updates=3"});
  const auto source = dir_.write("source", "a b c\n\nd a b c d\na\nb b\n").string();
  const std::string expected = translation_by(model, source, {"--beam", "4"}).out;
  EXPECT_THAT(rows_of_text(expected), SizeIs(5));
  for (const KeySettings& way : std::vector<KeySettings>{{"--batch-size", "1"},
                                                         {"--threads", "2", "--batch-size", "2"},
                                                         {"--kernels", "plain"}}) {
    const Ended ended = translation_by(model, source, all_of({{"--beam", "4"}, way}));
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out, expected) << way.front();
  }
  for (const KeySettings& way :
       std::vector<KeySettings>{{"--beam", "1"},
                                {"--precision", attend::test::low_precision()},
                                {"--sample"},
                                {"--n-best", "1", "--scores"}}) {
    const Ended ended = translation_by(model, source, way);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(rows_of_text(ended.out), SizeIs(5)) << way.front();
  }
}

TEST_P(TransformerProgram, AlignsByEveryMethod) {
  const std::string model = train("model", {"training.max_updates=3"});
  const auto source = dir_.write("source", "a b c\nd a\n").string();
  const auto target = dir_.write("target", "w x y\nz\n").string();
  for (const char* method : {"attention", "saliency", "posterior"}) {
    const Ended ended =
        test::run_program({"align", "--model", model, "--source", source, "--target", target,
                           "--method", method, "--format", "jsonl", "--quiet"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    ASSERT_THAT(rows_of_text(ended.out), SizeIs(2));
    const auto first = nlohmann::json::parse(rows_of_text(ended.out)[0]);
    EXPECT_THAT(first["attention"], SizeIs(4)) << method;  // w x y and the end symbol
    const bool heads = GetParam().name != "hybrid" && std::string(method) == "attention";
    EXPECT_EQ(first.contains("heads"), heads) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, TransformerProgram, testing::ValuesIn(model_families()),
                         [](const auto& test_case) { return test_case.param.name; });

TEST(TransformerConfig, RefusesKeysOfAnotherFamily) {
  const TempDir dir;
  const auto refusal = [&](const std::string& model) {
    const auto file = dir.write(
        "c.yaml", "data: {train: {source: a, target: b}}\nmodel:\n  embedding: 16\n" + model);
    const Ended ended = test::run_program({"train", file.string(), "--dry-run"});
    EXPECT_EQ(ended.code, 2);
    return ended.err;
  };
  EXPECT_THAT(refusal("  encoder: {type: transformer, heads: 2, cell: gru}\n"),
              testing::AllOf(HasSubstr("c.yaml:4:"), HasSubstr("model.encoder.cell"),
                             HasSubstr("would have no effect with type transformer"),
                             HasSubstr("choose type: recurrent")));
  EXPECT_THAT(refusal("  encoder: {feed_forward: 9}\n"),
              HasSubstr("would have no effect with type recurrent"));
  EXPECT_THAT(refusal("  decoder: {type: ssru, layer_attention: {score: dot}}\n"),
              HasSubstr("would have no effect with type ssru"));
  EXPECT_THAT(refusal("  decoder: {type: transformer, wiring: none}\n"),
              HasSubstr("would have no effect with type transformer"));
  EXPECT_THAT(refusal("  decoder: {bridge: copy}\n  encoder: {type: transformer, heads: 2}\n"),
              HasSubstr("choose bridge: last or mean"));
}

}  // namespace
}  // namespace attend::cli
