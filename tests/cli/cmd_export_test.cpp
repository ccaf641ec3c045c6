#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using test::run_program;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string tiny_transformer(const TempDir& dir, std::vector<std::string> more = {}) {
  std::vector<std::string> settings = {
      "model.encoder={type: transformer, heads: 2, cell: lstm, hidden: 256}",
      "model.decoder={type: transformer, heads: 2, cell: lstm, hidden: 512}"};
  settings.insert(settings.end(), more.begin(), more.end());
  return test::train_tiny_model(dir, "model", settings).string();
}

Ended run_export(const std::string& model, const std::string& format,
                 const std::filesystem::path& output, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"export", "--model",  model,          "--format",
                                        format,   "--output", output.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Export, WritesAModelForCtranslate2) {
  const TempDir dir;
  const std::string model = tiny_transformer(dir);
  const Ended ended = run_export(model, "ctranslate2", dir / "out");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(names_in(dir / "out"),
              ElementsAre("config.json", "model.bin", "source.model", "source_vocabulary.json",
                          "target.model", "target_vocabulary.json"));
  const auto config = nlohmann::json::parse(read_text(dir / "out" / "config.json"));
  EXPECT_EQ(config.at("decoder_start_token"), "<s>");
  EXPECT_TRUE(config.at("add_source_eos").get<bool>());
  const auto pieces = nlohmann::json::parse(read_text(dir / "out" / "target_vocabulary.json"));
  EXPECT_THAT(std::vector<std::string>(pieces.begin(), pieces.begin() + 4),
              ElementsAre("<pad>", "<unk>", "<s>", "</s>"));
  EXPECT_EQ(read_text(dir / "out" / "target.model"),
            read_text(std::filesystem::path(model) / "target.model"));
}

TEST(Export, WritesOneVocabularyForAJointModel) {
  const TempDir dir;
  const Ended ended =
      run_export(tiny_transformer(dir, {"tokenizer.joint=true"}), "ctranslate2", dir / "out");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(names_in(dir / "out"),
              ElementsAre("config.json", "joint.model", "model.bin", "shared_vocabulary.json"));
}

TEST(Export, WritesWeightsAndAProgramForPytorch) {
  const TempDir dir;
  const std::string model = test::train_tiny_model(dir, "model", {}).string();
  const Ended ended = run_export(model, "torch", dir / "out");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(dir / "out" / "model.safetensors"),
            read_text(std::filesystem::path(model) / "best.safetensors"));
  EXPECT_EQ(read_text(dir / "out" / "model.py"),
            read_text(ATTEND_SOURCE_DIR "/src/app/export/model.py"));
  const auto config = nlohmann::json::parse(read_text(dir / "out" / "config.json"));
  EXPECT_EQ(config.at("decoder").at("wiring"), "luong");
  EXPECT_EQ(config.at("encoder").at("hidden"), 5);
  EXPECT_TRUE(config.at("decoder").at("input_feeding").get<bool>());
}

TEST(Export, RefusesWithTheKeysThatStandInTheWay) {
  const TempDir dir;
  const std::string model = test::train_tiny_model(dir, "model", {}).string();
  const Ended ended = run_export(model, "ctranslate2", dir / "out");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("--format ctranslate2 cannot express the model in " + model),
                    HasSubstr("model.encoder.type: transformer (the model has recurrent)")));
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
}

TEST(Export, ReplacesAnExportOnlyIfToldTo) {
  const TempDir dir;
  const std::string model = tiny_transformer(dir);
  ASSERT_EQ(run_export(model, "ctranslate2", dir / "out").code, 0);
  const Ended again = run_export(model, "ctranslate2", dir / "out");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("--overwrite"));
  EXPECT_EQ(run_export(model, "torch", dir / "out", {"--overwrite"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "out" / "model.bin"));
  const Ended own = run_export(model, "ctranslate2", model, {"--overwrite"});
  EXPECT_EQ(own.code, 2);
  EXPECT_THAT(own.err, HasSubstr("holds other files"));
}

TEST(Export, WritesAnArgosPackage) {
  const TempDir dir;
  const std::string model = tiny_transformer(dir);
  const std::vector<std::string> languages = {"--from-language", "en", "--to-language", "de"};
  const auto file = dir / "en_de.argosmodel";
  const Ended ended = run_export(model, "argos", file, languages);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string archive = read_text(file);
  EXPECT_THAT(archive,
              AllOf(HasSubstr("translate-en_de/metadata.json"),
                    HasSubstr("translate-en_de/sentencepiece.model"),
                    HasSubstr("translate-en_de/model/model.bin"),
                    HasSubstr("\"from_name\": \"English\""), HasSubstr("\"to_name\": \"German\"")));
  EXPECT_EQ(run_export(model, "argos", file, languages).code, 2);
  EXPECT_EQ(read_text(file), archive);
  EXPECT_EQ(run_export(model, "argos", file,
                       {"--from-language", "en", "--to-language", "de", "--overwrite"})
                .code,
            0);
  EXPECT_EQ(read_text(file), archive) << "equal models give equal bytes";
}

TEST(Export, WritesNoPackageOverTheModelOrAFolder) {
  const TempDir dir;
  const std::string model = tiny_transformer(dir);
  const auto weights = std::filesystem::path(model) / "best.safetensors";
  const std::string before = read_text(weights);
  const std::vector<std::string> more = {"--from-language", "en", "--to-language", "de",
                                         "--overwrite"};
  const Ended own = run_export(model, "argos", weights, more);
  EXPECT_EQ(own.code, 2);
  EXPECT_THAT(own.err, HasSubstr("lies in the model folder"));
  EXPECT_EQ(read_text(weights), before);
  // Symptom: --overwrite replaced any file.
  const auto notes = dir.write("notes.zip", "PK\x03\x04 my notes");
  const Ended other = run_export(model, "argos", notes, more);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("is not a package of Argos Translate; give another file"));
  EXPECT_EQ(read_text(notes), "PK\x03\x04 my notes");
  const Ended folder = run_export(model, "argos", model, more);
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.err, HasSubstr("is a folder; give a file"));
}

TEST(Export, NeedsTheLanguagesOfAPackageOnly) {
  const TempDir dir;
  const std::string model = tiny_transformer(dir);
  const Ended none = run_export(model, "argos", dir / "out");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--from-language"));
  const Ended unknown =
      run_export(model, "argos", dir / "out", {"--from-language", "en", "--to-language", "xx"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--to-language xx: no such language"));
  const Ended idle = run_export(model, "ctranslate2", dir / "out", {"--from-language", "en"});
  EXPECT_EQ(idle.code, 2);
  EXPECT_THAT(idle.err, HasSubstr("does not store them"));
}

TEST(Export, RefusesLowerCasedModelsAsPackagesAndWarnsOtherwise) {
  const TempDir dir;
  const std::string model = tiny_transformer(dir, {"data.lowercase=true"});
  const Ended package =
      run_export(model, "argos", dir / "out", {"--from-language", "en", "--to-language", "de"});
  EXPECT_EQ(package.code, 2);
  EXPECT_THAT(package.err, HasSubstr("data.lowercase: false (the model has true)"));
  const Ended folder = run_export(model, "ctranslate2", dir / "out");
  EXPECT_EQ(folder.code, 0);
  EXPECT_THAT(folder.err, HasSubstr("lower-case it before SentencePiece"));
}

}  // namespace
}  // namespace attend::cli
