#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"
#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::error_of;
using sample::load_text;
using sample::Score;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class LoadTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(LoadTest, AnEmptyFileGivesTheDefaults) {
  for (const char* yaml : {"", "# nothing\n", "---\n", "model:\n", "{}"}) {
    const auto options = load_text(dir_, yaml);
    EXPECT_EQ(options.seed, 1) << yaml;
    EXPECT_EQ(options.model.score, Score::additive) << yaml;
  }
}

TEST_F(LoadTest, SetsWhatTheFileHolds) {
  const auto options = load_text(dir_, R"(
seed: 7
title: "010"
rate: 1e-4
model: {score: dot, encoder: {layers: 3, residual: true}}
)");
  EXPECT_EQ(options.seed, 7);
  EXPECT_EQ(options.title, "010");
  EXPECT_EQ(options.rate, 1e-4);
  EXPECT_EQ(options.model.score, Score::dot);
  EXPECT_EQ(options.model.encoder.layers, 3);
  EXPECT_TRUE(options.model.encoder.residual);
}

TEST_F(LoadTest, PathsStartFromTheFolderOfTheConfig) {
  const auto options = load_text(dir_, "output: sub/../runs/\npieces: [a.model, /b.model]\n");
  EXPECT_EQ(options.output, (dir_ / "runs").string());
  EXPECT_THAT(options.pieces, ElementsAre((dir_ / "a.model").string(), "/b.model"));
}

// Symptom: ~/texts was a folder "~" beside the config.
TEST_F(LoadTest, PathsMayStartFromTheHomeFolder) {
  const char* const home = std::getenv("HOME");
  ASSERT_NE(home, nullptr);
  const std::string before = home;
  setenv("HOME", "/people/anna", 1);
  const auto options = load_text(
      dir_, "output: ~/runs/\npieces: [~/a.model, ./~/b.model, ~bob/c.model, x~/d.model]\n");
  setenv("HOME", before.c_str(), 1);
  EXPECT_EQ(options.output, "/people/anna/runs");
  EXPECT_THAT(options.pieces,
              ElementsAre("/people/anna/a.model", (dir_ / "~/b.model").string(),
                          (dir_ / "~bob/c.model").string(), (dir_ / "x~/d.model").string()));
}

TEST_F(LoadTest, AListOfSectionsMayBeASingleOne) {
  EXPECT_EQ(load_text(dir_, "train: {source: a, target: b}").train.size(), 1U);
  const auto two =
      load_text(dir_, "train:\n- {source: a, target: b}\n- {source: c, target: d}\n").train;
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].source, (dir_ / "c").string());
  EXPECT_TRUE(load_text(dir_, "train: null").train.empty());
}

TEST_F(LoadTest, AMissingFileIsAConfigError) {
  try {
    (void)load<sample::Options>(dir_ / "none.yaml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("none.yaml"), HasSubstr("No such file")));
  }
}

TEST_F(LoadTest, ShowsTheLineAndTheNearestValue) {
  EXPECT_EQ(
      error_of(dir_, "seed: 1\nmodel:\n  score: genral\n"),
      "config.yaml:3:10: error: model.score: unknown value \"genral\"; did you mean \"general\"?\n"
      "  score: genral\n"
      "         ^\n"
      "  choices: additive, dot, general");
}

TEST_F(LoadTest, HintsAtTheNearestKey) {
  EXPECT_EQ(error_of(dir_, "model:\n  encodr: {}\n"),
            "config.yaml:2:3: error: model.encodr: unknown key; did you mean \"encoder\"?\n"
            "  encodr: {}\n"
            "  ^\n"
            "  keys of model: score, dropout, encoder");
}

TEST_F(LoadTest, HintsAtTheSectionThatHasTheKey) {
  EXPECT_THAT(error_of(dir_, "layers: 2"),
              HasSubstr("layers: unknown key; did you mean model.encoder.layers?"));
}

// What users of other tools type: a part of the name, more than the name, or sections in one word.
TEST_F(LoadTest, HintsAtNamesThatAreLongerOrShorter) {
  EXPECT_THAT(error_of(dir_, "model: {drop: 0.1}"), HasSubstr("did you mean model.dropout?"));
  EXPECT_THAT(error_of(dir_, "model: {encoder: {num_layers: 2}}"),
              HasSubstr("did you mean model.encoder.layers?"));
  EXPECT_THAT(error_of(dir_, "model: {encoder_layers: 2}"),
              HasSubstr("did you mean model.encoder.layers?"));
  EXPECT_THAT(error_of(dir_, "model: {encoder: {model: 2}}"), HasSubstr("did you mean model?"))
      << "a section";
}

TEST_F(LoadTest, SaysWhichKeysASectionHas) {
  EXPECT_EQ(error_of(dir_, "model:\n  encoder: gru\n"),
            "config.yaml:2:12: error: model.encoder: expected a section of keys, found \"gru\"\n"
            "  encoder: gru\n"
            "           ^\n"
            "  keys of model.encoder: layers, residual");
}

TEST_F(LoadTest, ReportsEverythingAtOnceInTheOrderOfTheText) {
  const std::string message =
      error_of(dir_, "rate: 0\nsed: 2\nmodel: {encoder: {layers: two}}\n", {"seed=-1"});
  const auto range = message.find("config.yaml:1:7: error: rate: 0 is out of range");
  const auto unknown = message.find("config.yaml:2:1: error: sed: unknown key");
  const auto type =
      message.find("config.yaml:3:27: error: model.encoder.layers: \"two\" is not a whole number");
  const auto override = message.find("--set seed=-1: error: seed: -1 is out of range");
  EXPECT_LT(range, unknown);
  EXPECT_LT(unknown, type);
  EXPECT_LT(type, override);
  EXPECT_NE(override, std::string::npos);
}

struct Repeated {
  sample::Encoder a, b, c, d;
};
void describe(Schema<Repeated>& schema) {
  schema.section("a", &Repeated::a, "");
  schema.section("b", &Repeated::b, "");
  schema.section("c", &Repeated::c, "");
  schema.section("d", &Repeated::d, "");
}

TEST_F(LoadTest, DoesNotGuessAmongMoreThanThreeSections) {
  const auto file = dir_.write("c.yaml", "layers: 2");
  EXPECT_THAT([&] { (void)load<Repeated>(file); },
              testing::ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("layers: unknown key\n"), Not(HasSubstr("did you mean")))));
}

TEST_F(LoadTest, StopsAfterTwentyProblems) {
  std::string yaml;
  for (int i = 0; i < 25; ++i) yaml += "key" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(error_of(dir_, yaml),
              AllOf(HasSubstr("key19: unknown"), Not(HasSubstr("key20: unknown")),
                    HasSubstr("and 5 more")));
}

TEST_F(LoadTest, NamesTheElementOfAList) {
  EXPECT_THAT(error_of(dir_, "train: [{source: a}, {sorce: b}]"),
              HasSubstr("train[1].sorce: unknown key"));
}

TEST_F(LoadTest, RefusesAValueWhereASectionIsExpected) {
  EXPECT_THAT(error_of(dir_, "model: big"),
              HasSubstr("1:8: error: model: expected a section of keys, found \"big\""));
  EXPECT_THAT(error_of(dir_, "model: [1]"),
              HasSubstr("model: expected a section of keys, found a list"));
  EXPECT_THAT(error_of(dir_, "train: a.txt"),
              HasSubstr("train: expected a section of keys, found \"a.txt\""));
  EXPECT_THAT(error_of(dir_, "- a"),
              HasSubstr("1:1: error: expected a section of keys, found a list"));
}

}  // namespace
}  // namespace attend::config
