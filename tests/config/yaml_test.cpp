#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::error_of;
using sample::load_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class YamlTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(YamlTest, RefusesDuplicateKeys) {
  EXPECT_EQ(error_of(dir_, "model:\n  score: dot\n  dropout: 0.1\n  score: general\n"),
            "config.yaml:4:3: error: model.score: duplicate key (first in line 2)\n"
            "  score: general\n"
            "  ^");
}

TEST_F(YamlTest, SaysWhereTheTextIsNotYaml) {
  EXPECT_THAT(error_of(dir_, "seed: 1\nmodel: {score: dot\n"),
              HasSubstr("config.yaml:3:1: error: this is not valid YAML: "));
}

// Regression: the message was "illegal map value", with the caret elsewhere.
TEST_F(YamlTest, SaysThatATabIsNoIndentation) {
  EXPECT_THAT(error_of(dir_, "seed: 1\n\ttitle: x\n"),
              HasSubstr("config.yaml:2:1: error: this is not valid YAML: indent with blanks"));
  EXPECT_THAT(error_of(dir_, "model:\n \tscore: dot\n"), HasSubstr("config.yaml:2:1: "));
  EXPECT_THAT(error_of(dir_, "model: {score: dot\ntitle: x\n\t\n"),
              Not(HasSubstr("indent with blanks")))
      << "an empty line";
}

TEST_F(YamlTest, ReadsAnchors) {
  const auto options = load_text(dir_, "train:\n- &pair {source: /a, target: /b}\n- *pair\n");
  ASSERT_EQ(options.train.size(), 2U);
  EXPECT_EQ(options.train[1].target, "/b");
}

TEST_F(YamlTest, RefusesAnAnchorThatLoops) {
  EXPECT_THAT(error_of(dir_, "model: &m\n  score: dot\n  encoder: *m\n"),
              HasSubstr("config.yaml:3:12: error: model.encoder: this alias refers to the list or "
                        "section that it stands in"));
}

TEST_F(YamlTest, RefusesAnUnknownAlias) {
  EXPECT_THAT(error_of(dir_, "seed: *none"), HasSubstr("config.yaml:1:7: error: "));
}

TEST_F(YamlTest, RefusesAliasesThatMultiply) {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    yaml += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  }
  EXPECT_THAT(error_of(dir_, yaml), HasSubstr("multiply"));
}

TEST_F(YamlTest, RefusesAnchorsWithinAnchorsThatMultiply) {
  std::string yaml = "title: ";
  for (int i = 0; i < 200; ++i) yaml += fmt::format("&a{} [", i);
  for (int i = 0; i < 2000; ++i) yaml += "x, ";
  EXPECT_THAT(error_of(dir_, yaml + std::string(200, ']')), HasSubstr("multiply to too many"));
}

TEST_F(YamlTest, RefusesAFileWithoutEnd) {
  EXPECT_THAT([] { (void)load<sample::Options>("/dev/zero"); },
              ThrowsMessage<ConfigError>(HasSubstr("/dev/zero: is larger than 1 MiB")));
}

// Regression: the time to place the values of one long line grew with the square of its length.
TEST_F(YamlTest, StopsAtMoreValuesThanAConfigHas) {
  std::string yaml = "train: [";
  for (int i = 0; i < 100'000; ++i) yaml += "[],";
  EXPECT_THAT(error_of(dir_, yaml + "]"),
              AllOf(HasSubstr("config.yaml:1:"), HasSubstr("more than 100000 values")));
}

TEST_F(YamlTest, KeepsAThousandProblemsAndCountsTheRest) {
  std::string yaml;
  for (int i = 0; i < 5000; ++i) yaml += fmt::format("k{}: 1\n", i);
  const std::string error = error_of(dir_, yaml);
  EXPECT_THAT(error, HasSubstr("config.yaml:1:1: error: k0: unknown key"));
  EXPECT_THAT(error, HasSubstr("and 4980 more"));
}

TEST_F(YamlTest, QuotesThePartsOfLongKeys) {
  const std::string key(300, 'k');
  const std::string error = error_of(dir_, fmt::format("{0}: {{{0}: 1, {0}: 2}}\n", key));
  EXPECT_THAT(error, HasSubstr(std::string(200, 'k') + "...: duplicate key"));
}

TEST_F(YamlTest, RefusesAliasesThatNestTooDeeply) {
  std::string yaml = "a0: &a0 [x]\n";
  for (int i = 1; i < 5; ++i) {
    yaml += fmt::format("a{0}: &a{0} {1}*a{2}{3}\n", i, std::string(300, '['), i - 1,
                        std::string(300, ']'));
  }
  EXPECT_THAT(error_of(dir_, yaml), HasSubstr("nest too deeply"));
}

TEST_F(YamlTest, ShowsThePartOfALongLineThatMatters) {
  const std::string blanks(100'000, ' ');
  const std::string error = error_of(dir_, "{seed: 1," + blanks + "sed: 2," + blanks + "}");
  EXPECT_THAT(error, HasSubstr("config.yaml:1:100010: error: sed: unknown key"));
  EXPECT_THAT(error, HasSubstr("\n" + std::string(100, ' ') + "sed: 2,"));
  EXPECT_THAT(error, HasSubstr("\n" + std::string(100, ' ') + "^"));
  EXPECT_LT(error.size(), 2000U);
}

TEST_F(YamlTest, CutsAndCleansWhatItQuotes) {
  const std::string error =
      error_of(dir_, "seed: \"\\e[2J" + std::string(100'000, '7') + "\"\n\"\\e[2J\": 1\n");
  EXPECT_THAT(error, HasSubstr("?[2J777"));
  EXPECT_EQ(error.find('\x1b'), std::string::npos);
  EXPECT_LT(error.size(), 3000U);
}

TEST_F(YamlTest, RefusesDeepNesting) {
  EXPECT_THAT(error_of(dir_, "title: " + std::string(100'000, '[')), HasSubstr("config.yaml:1:"));
}

TEST_F(YamlTest, RefusesASecondDocument) {
  EXPECT_THAT(error_of(dir_, "seed: 1\n---\nseed: 2\n"),
              HasSubstr("a second YAML document begins here"));
}

TEST_F(YamlTest, RefusesKeysThatAreNoNames) {
  EXPECT_THAT(error_of(dir_, "[a, b]: 1\n"), HasSubstr("1:1: error: a list cannot be a key"));
  EXPECT_THAT(error_of(dir_, "~: 1\n"), HasSubstr("null cannot be a key"));
}

TEST_F(YamlTest, PointsAtTheKeyWhoseValueIsMissing) {
  EXPECT_THAT(error_of(dir_, "seed:\nmodel: {score: dot}\n"),
              HasSubstr("config.yaml:1:1: error: seed: null is not a whole number"));
}

TEST_F(YamlTest, CountsColumnsInCharacters) {
  const std::string message = error_of(dir_, "{title: \"\xC3\xA4\xE2\x82\xAC\", seed: x}\n");
  EXPECT_THAT(message, AllOf(HasSubstr("config.yaml:1:21: error: seed"),
                             HasSubstr("\n" + std::string(20, ' ') + "^")));
}

TEST_F(YamlTest, ReadsAByteOrderMarkAndCarriageReturns) {
  EXPECT_EQ(load_text(dir_, "\xEF\xBB\xBFseed: 5\r\ntitle: a\r\n").seed, 5);
  EXPECT_THAT(error_of(dir_, "\xEF\xBB\xBFseed: x\r\n"),
              HasSubstr("config.yaml:1:7: error: seed: \"x\" is not a whole number\nseed: x\n"));
}

TEST_F(YamlTest, KeepsControlCharactersFromTheTerminal) {
  EXPECT_THAT(error_of(dir_, "seed: \"\\q\x1B[31m\"\n"),
              AllOf(HasSubstr("?[31m"), ::testing::Not(HasSubstr("\x1B"))));
}

}  // namespace
}  // namespace attend::config
