// The weights of memory heads while a line is read and written, through the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "app/model/loaded_model.h"
#include "data/batch.h"
#include "decode/attention/attention_maps.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Three models: one that copies its encoder's memory of five slots, with two read heads; the same
/// with attention; and one without a memory.
class MemoryKinds : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    const std::string memory = "memory: {slots: 5, width: 3, heads: 2}";
    const std::string encoder = "model.encoder={cell: ntm, hidden: 6, bidirectional: false, ";
    const std::string decoder = "model.decoder={cell: ntm, hidden: 6, ";
    (void)test::train_tiny_model(
        *folder_, "ntm",
        {encoder + memory + "}", decoder + "wiring: none, bridge: copy, " + memory + "}"});
    (void)test::train_tiny_model(*folder_, "attending",
                                 {encoder + memory + "}", decoder + memory + "}"});
    (void)test::train_tiny_model(*folder_, "plain", {});
    folder_->write("source", "a b c\n\nd a\n");
    folder_->write("target", "w x y\n\nz w\n");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return (*folder_ / name).string(); }
  static Ended translate(const std::string& model, std::vector<std::string> more) {
    more.insert(more.begin(), {"translate", "--model", at(model), "--input", at("source"),
                               "--output", at("out"), "--quiet"});
    return run_program(more);
  }

  static std::optional<TempDir> folder_;
};
std::optional<TempDir> MemoryKinds::folder_;

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> records;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    records.push_back(nlohmann::json::parse(line));
  return records;
}

std::vector<text::TokenId> pieces_to_ids(const nlohmann::json& names,
                                         const text::Tokenizer& tokenizer) {
  std::vector<text::TokenId> ids;
  for (std::size_t i = 0; i + 1 < names.size(); ++i)
    ids.push_back(tokenizer.find(names[i].get<std::string>()).value());
  return ids;
}

/// layers [layer][head][row][slot].
void expect_layers(const nlohmann::json& layers, const decode::KindMaps& maps) {
  ASSERT_EQ(layers.size(), maps.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const torch::Tensor& expected = maps.layers[i];
    ASSERT_EQ(static_cast<int64_t>(layers[i].size()), expected.size(0));
    for (int64_t h = 0; h < expected.size(0); ++h) {
      ASSERT_EQ(static_cast<int64_t>(layers[i][h].size()), expected.size(1));
      for (int64_t t = 0; t < expected.size(1); ++t) {
        ASSERT_EQ(static_cast<int64_t>(layers[i][h][t].size()), expected.size(2));
        for (int64_t s = 0; s < expected.size(2); ++s)
          EXPECT_NEAR(layers[i][h][t][s].get<float>(), expected[h][t][s].item<float>(), 1e-6);
      }
    }
  }
}

TEST_F(MemoryKinds, OfATranslationAreAllThatTheModelHas) {
  const Ended ended =
      translate("ntm", {"--attention", at("all.jsonl"), "--attention-kinds", "all"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto records = json_lines(read_text(at("all.jsonl")));
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_FALSE(records[1].contains("kinds")) << "an empty line has none";
  const app::LoadedModel loaded = app::load_model(at("ntm"), attend::test::tested_device());
  for (const std::size_t line : {0, 2}) {
    const nlohmann::json& record = records[line];
    EXPECT_TRUE(record["attention"].is_null()) << "the model has no attention";
    EXPECT_THAT(record["kinds"], SizeIs(2));
    auto source = pieces_to_ids(record["source"], *loaded.source);
    source.push_back(text::kEos);
    const std::vector<std::vector<text::TokenId>> targets{
        pieces_to_ids(record["target"], *loaded.target)};
    const auto maps =
        decode::attention_maps(*loaded.model, data::pad(data::Sentences{source}), targets,
                               {.encoder_memory = true, .decoder_memory = true})[0];
    ASSERT_EQ(maps.encoder_memory.layers.at(0).size(0), 3);
    expect_layers(record["kinds"]["encoder_memory"]["layers"], maps.encoder_memory);
    expect_layers(record["kinds"]["decoder_memory"]["layers"], maps.decoder_memory);
  }
}

TEST_F(MemoryKinds, OfWordsKeepTheSlots) {
  const auto kinds_at = [&](const std::string& level) {
    const std::string file = at(level + ".jsonl");
    EXPECT_EQ(translate("attending", {"--attention", file, "--level", level, "--attention-kinds",
                                      "encoder_memory,decoder_memory"})
                  .code,
              0);
    return json_lines(read_text(file))[0]["kinds"];
  };
  EXPECT_EQ(kinds_at("word"), kinds_at("piece")) << "each word is one piece";
}

TEST_F(MemoryKinds, ArePicturesOfEachHeadOfAModelWithoutAttention) {
  const std::string pictures = at("pictures");
  const Ended ended = translate("ntm", {"--heatmaps", pictures, "--attention-kinds", "all"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(pictures)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("000000")) names.push_back(name);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "000000.encoder_memory.1.1.svg", "000000.encoder_memory.1.2.svg",
                         "000000.encoder_memory.1.3.svg", "000000.decoder_memory.1.1.svg",
                         "000000.decoder_memory.1.2.svg", "000000.decoder_memory.1.3.svg"));
  const Ended over = translate("attending", {"--heatmaps", pictures, "--attention",
                                             pictures + "/000000.encoder_memory.1.1.svg"});
  EXPECT_EQ(over.code, 2) << "a heatmap may have this name";
}

TEST_F(MemoryKinds, AreOnThePageOfAModelWithoutAttention) {
  const std::string page = at("page");
  const Ended ended = translate(
      "ntm", {"--heatmaps", page, "--heatmap-format", "html", "--attention-kinds", "all"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string slots =
      R"("tokens":["1","2","3","4","5"],"end":false,"words":["1","2","3","4","5"])";
  EXPECT_THAT(read_text(page + "/index.html"),
              AllOf(HasSubstr(R"("encoder_memory_slots":{)" + slots),
                    HasSubstr(R"("decoder_memory_slots":{)" + slots)));
}

TEST_F(MemoryKinds, AreWrittenForGivenPairsToo) {
  const Ended ended = run_program({"align", "--model", at("attending"), "--source", at("source"),
                                   "--target", at("target"), "--format", "jsonl",
                                   "--attention-kinds", "decoder_memory", "--quiet"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto record = json_lines(ended.out)[2];
  EXPECT_THAT(record["kinds"]["decoder_memory"]["layers"][0][2], SizeIs(3)) << "z w </s>";
}

TEST_F(MemoryKinds, AreRefusedIfTheModelLacksThem) {
  const Ended none =
      translate("plain", {"--attention", at("no.jsonl"), "--attention-kinds", "encoder_memory"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("--attention-kinds encoder_memory"),
                              HasSubstr("has no cell with a memory"), HasSubstr("it has cross")));
  const Ended cross = translate("ntm", {"--heatmaps", at("no"), "--attention-kinds", "cross"});
  EXPECT_EQ(cross.code, 2);
  EXPECT_THAT(cross.err, HasSubstr("it has encoder_memory, decoder_memory"));
  const Ended pictures = translate("ntm", {"--heatmaps", at("no")});
  EXPECT_EQ(pictures.code, 2);
  EXPECT_THAT(pictures.err, AllOf(HasSubstr("--heatmaps needs attention to the source"),
                                  HasSubstr("--attention-kinds encoder_memory,decoder_memory")));
}

TEST_F(MemoryKinds, AreNotInTheTableOfHeadsOfInspect) {
  const Ended ended =
      run_program({"inspect", at("attending"), "--source", at("source"), "--target", at("target")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("attention over"), Not(HasSubstr("_memory"))));
}

}  // namespace
}  // namespace attend::cli
