#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::error_of;
using sample::load_text;
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
  EXPECT_EQ(options.model.score, "dot");
  EXPECT_EQ(options.model.encoder.layers, 4);
}

TEST_F(OverrideTest, TakesFlowMappingsAndLists) {
  const auto options =
      load_text(dir_, "", {"model={score: dot, encoder: {layers: 2}}", "pieces=[/a, /b]"});
  EXPECT_EQ(options.model.score, "dot");
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
  EXPECT_EQ(load_to_show<sample::Options>("", overrides).options.seed, 9);
  const std::vector<std::string> wrong = {"sed=9"};
  EXPECT_THROW((void)load_to_show<sample::Options>("", wrong), ConfigError);
}

}  // namespace
}  // namespace attend::config
