#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::error_of;
using sample::load_text;
using sample::Score;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OverrideTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(OverrideTest, BeatsTheFileAndTheLastOneWins) {
  const auto options = load_text(dir_, "seed: 2\nmodel: {score: dot}\n",
                                 {"seed=3", "model.encoder.layers=4", "seed=5"});
  EXPECT_EQ(options.seed, 5);
  EXPECT_EQ(options.model.score, Score::dot);
  EXPECT_EQ(options.model.encoder.layers, 4);
}

TEST_F(OverrideTest, TakesFlowMappingsAndLists) {
  const auto options =
      load_text(dir_, "", {"model={score: dot, encoder: {layers: 2}}", "pieces=[/a, /b]"});
  EXPECT_EQ(options.model.score, Score::dot);
  EXPECT_EQ(options.model.encoder.layers, 2);
  EXPECT_THAT(options.pieces, ElementsAre("/a", "/b"));
}

TEST_F(OverrideTest, PathsStartFromTheWorkingDirectory) {
  EXPECT_EQ(load_text(dir_, "", {"output=x"}).output,
            (std::filesystem::current_path() / "x").string());
}

TEST_F(OverrideTest, EmptyAndNullClearAText) {
  EXPECT_EQ(load_text(dir_, "title: a", {"title="}).title, "");
  EXPECT_EQ(load_text(dir_, "title: a", {"title=null"}).title, "");
  EXPECT_EQ(load_text(dir_, "", {"title=a=b"}).title, "a=b");
}

TEST_F(OverrideTest, ChangesTheOnlyElementOfAList) {
  const auto options = load_text(dir_, "train: {source: /a, target: /b}", {"train.source=/c"});
  ASSERT_EQ(options.train.size(), 1U);
  EXPECT_EQ(options.train[0].source, "/c");
  EXPECT_EQ(options.train[0].target, "/b");
}

TEST_F(OverrideTest, IsNamedInErrors) {
  EXPECT_EQ(error_of(dir_, "", {"model.encoder.layers=0"}),
            "--set model.encoder.layers=0: error: model.encoder.layers: 0 is out of range\n"
            "  expected: whole number, 1 to 16");
  EXPECT_THAT(error_of(dir_, "", {"model.encodr.layers=1"}),
              HasSubstr("--set model.encodr.layers=1: error: model.encodr: unknown key; did you "
                        "mean \"encoder\"?"));
}

// Regression: --set data.dev=null was accepted, but the validation set of the file was used.
TEST_F(OverrideTest, NullTakesASectionBackToItsDefaults) {
  const std::string file = "model: {score: dot, encoder: {layers: 4, residual: true}}\nseed: 2\n";
  const auto whole = load_text(dir_, file, {"model=null"});
  EXPECT_EQ(whole.model.score, Score::additive);
  EXPECT_EQ(whole.model.encoder.layers, 1);
  EXPECT_FALSE(whole.model.encoder.residual);
  EXPECT_EQ(whole.seed, 2);
  const auto inner = load_text(dir_, file, {"model.encoder=", "model.encoder.layers=3"});
  EXPECT_EQ(inner.model.score, Score::dot);
  EXPECT_EQ(inner.model.encoder.layers, 3);
  EXPECT_FALSE(inner.model.encoder.residual);
}

TEST_F(OverrideTest, WhatItReplacesIsNoLongerSetInTheFile) {
  const auto file =
      dir_.write("config.yaml", "model: {score: dot}\ntrain: {source: /a, target: /b}\n");
  const std::vector<std::string> overrides = {"model=null", "train=[{source: /c}]"};
  const auto set_at = load<sample::Options>(file, overrides, Purpose::show).set_at;
  EXPECT_FALSE(set_at.contains("model.score"));
  EXPECT_FALSE(set_at.contains("train.target"));
  EXPECT_TRUE(set_at.at("train.source").source->is_command_line);
}

// Regression: the time was quadratic, 49 seconds for a key of 30,000 names.
TEST_F(OverrideTest, RefusesAKeyWithoutEnd) {
  std::string key = "a";
  for (int i = 0; i < 60'000; ++i) key += ".a";
  const std::string error = error_of(dir_, "", {key + "=1"});
  EXPECT_THAT(error, HasSubstr("...: error: expected section.key=value"));
  EXPECT_LT(error.size(), 1000U);
}

TEST_F(OverrideTest, NeedsAKeyAndAValue) {
  for (const char* text : {"seed", "=1", ".seed=1", "model.=1", "model..score=dot", ""}) {
    EXPECT_THAT(error_of(dir_, "", {text}), HasSubstr("error: expected section.key=value")) << text;
  }
}

TEST_F(OverrideTest, ReportsAValueThatIsNotYaml) {
  EXPECT_THAT(error_of(dir_, "", {"pieces=[a"}),
              HasSubstr("--set pieces=[a: error: pieces: this is not valid YAML"));
}

TEST_F(OverrideTest, CanStandWithoutAFile) {
  const std::vector<std::string> overrides = {"seed=9"};
  EXPECT_EQ(load<sample::Options>("", overrides, Purpose::show).options.seed, 9);
  const std::vector<std::string> wrong = {"sed=9"};
  EXPECT_THROW((void)load<sample::Options>("", wrong, Purpose::show), ConfigError);
}

}  // namespace
}  // namespace attend::config
