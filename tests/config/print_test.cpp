#include "config/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::load_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PrintTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

sample::Options unusual() {
  sample::Options options;
  options.seed = 42;
  options.title = "yes: \"it's\" 5 #\n\t\\ \xC3\xA4";
  options.train = {{"/a b", "/c"}, {"/d", ""}};
  options.pieces = {"/x", "/y,z"};
  options.rate = 0.1 + 0.2;
  options.model = {sample::Score::dot, 1.0 / 3.0, {2, true}};
  return options;
}

enum class ModeKind { one, two };

constexpr auto name_table(ModeKind) {
  return std::to_array<NamedValue<ModeKind>>({{ModeKind::one, "one"}, {ModeKind::two, "two"}});
}

struct Mode {
  ModeKind kind = ModeKind::one;
};

void describe(Schema<Mode>& schema) {
  schema.choice("kind", &Mode::kind,
                "What it is:\n  one: the first\n  two: " + std::string(100, 'x') + " y");
}

// The later lines of a list item are indented further than its first line.
TEST_F(PrintTest, ReferenceEndsLinesWhereTheTextDoes) {
  EXPECT_THAT(reference(Mode()),
              HasSubstr("# What it is:\n#   one: the first\n#   two:\n#     xxx"));
  EXPECT_THAT(reference(Mode()), HasSubstr("xxx\n#     y\n# one of one, two"));
}

TEST_F(PrintTest, PrintsSectionsListsAndNull) {
  sample::Options options;
  options.train = {{"/a", "/b"}, {"/c", ""}};
  EXPECT_EQ(to_yaml(options),
            "seed: 1\n"
            "title: null\n"
            "train:\n"
            "  - source: /a\n"
            "    target: /b\n"
            "  - source: /c\n"
            "    target: null\n"
            "pieces: null\n"
            "output: null\n"
            "rate: 0.001\n"
            "model:\n"
            "  score: additive\n"
            "  dropout: 0\n"
            "  encoder:\n"
            "    layers: 1\n"
            "    residual: false\n");
}

TEST_F(PrintTest, WhatIsPrintedLoadsAgain) {
  const auto options = unusual();
  const auto again = load_text(dir_, to_yaml(options));
  EXPECT_THAT(differences(options, again), IsEmpty());
  EXPECT_EQ(again.title, options.title);
  EXPECT_EQ(again.rate, options.rate);
  EXPECT_EQ(again.model.dropout, options.model.dropout);
  EXPECT_EQ(again.train[0].source, "/a b");
}

TEST_F(PrintTest, TextThatLooksLikeSomethingElseStaysText) {
  for (const char* title :
       {"1",    "010",   "-",  "1e5", ".5", "true", "No",   "null",     "~",   "a: b",
        "a #b", " a",    "[a", "{",   "*x", "&x",   "!x",   "%x",       "@x",  "`x",
        "'x'",  "\"x\"", "|",  ">",   "?",  "- a",  "a\nb", "\x01\x7F", "...", "---"}) {
    sample::Options options;
    options.title = title;
    EXPECT_EQ(load_text(dir_, to_yaml(options)).title, title);
  }
}

TEST_F(PrintTest, DoublesSurviveBitForBit) {
  for (const double rate : {5e-324, 1.7976931348623157e308, 0.1, 1e-8, 123456789.123456789, 1e22}) {
    sample::Options options;
    options.rate = rate;
    EXPECT_EQ(load_text(dir_, to_yaml(options)).rate, rate);
  }
}

TEST_F(PrintTest, PathsInTheFolderArePlainNames) {
  sample::Options options;
  options.output = (dir_ / "joint.model").string();
  options.pieces = {(dir_ / "a").string(), "/elsewhere/b"};
  const std::string yaml = to_yaml(options, dir_.path());
  EXPECT_THAT(yaml, HasSubstr("output: joint.model\n"));
  EXPECT_THAT(yaml, HasSubstr("pieces: [a, /elsewhere/b]\n"));
  EXPECT_EQ(load_text(dir_, yaml).output, options.output);
}

TEST_F(PrintTest, AListOfOnePathIsThePath) {
  sample::Options options;
  options.pieces = {"/a"};
  EXPECT_THAT(to_yaml(options), HasSubstr("pieces: /a\n"));
}

TEST_F(PrintTest, AFolderMayEndInASlash) {
  sample::Options options;
  options.output = (dir_ / "a").string();
  EXPECT_THAT(to_yaml(options, dir_.path().string() + "/"), HasSubstr("output: a\n"));
}

TEST_F(PrintTest, SaysWhereValuesCameFrom) {
  const auto file =
      dir_.write("c.yaml", "rate: 1\nmodel:\n  score: dot\ntrain: [{source: /a}, {target: /b}]\n");
  const std::vector<std::string> overrides = {"model.encoder.layers=2"};
  const auto loaded = load<sample::Options>(file, overrides, Purpose::show);
  const std::string yaml = to_yaml(loaded);
  EXPECT_THAT(yaml, HasSubstr("seed: 1\n"));
  EXPECT_THAT(yaml, HasSubstr("rate: 1  # " + file.string() + ":1\n"));
  EXPECT_THAT(yaml, HasSubstr("score: dot  # " + file.string() + ":3\n"));
  EXPECT_THAT(yaml, HasSubstr("layers: 2  # --set\n"));
  EXPECT_THAT(yaml, HasSubstr("  - source: /a  # " + file.string() + ":4\n    target: null\n"));
  EXPECT_THAT(differences(load_text(dir_, yaml), loaded.options), IsEmpty());
}

TEST_F(PrintTest, TheReferenceExplainsEveryKeyAndLoads) {
  const std::string text = reference<sample::Options>();
  EXPECT_THAT(
      text,
      HasSubstr("# Seed of everything random.\n# whole number, at least 0; default: 1\nseed: 1\n"));
  EXPECT_THAT(text, HasSubstr("  # How states are compared.\n"
                              "  # one of additive, dot, general; default: additive\n"
                              "  score: additive\n"));
  EXPECT_THAT(text, HasSubstr("# Training text.\n# section, list of sections or null; default: []\n"
                              "#   source: Text to translate from. (path or null)\n"));
  EXPECT_THAT(differences(load_text(dir_, text), sample::Options()), IsEmpty());
}

TEST_F(PrintTest, TheReferenceShowsChangedValuesBesideTheDefault) {
  sample::Options options;
  options.seed = 5;
  EXPECT_THAT(reference(options), HasSubstr("default: 1\nseed: 5\n"));
}

TEST_F(PrintTest, FindsWhatDiffers) {
  sample::Options a;
  sample::Options b;
  b.seed = 2;
  b.model.encoder.layers = 3;
  b.train = {{"/a", "/b"}};
  EXPECT_THAT(differences(a, b), ElementsAre("seed", "train", "model.encoder.layers"));
  EXPECT_THAT(differences(b, b), IsEmpty());
}

TEST_F(PrintTest, LongCommentsAreWrapped) {
  std::string longest;
  for (const char c : reference<sample::Options>()) {
    longest = c == '\n' ? "" : longest + c;
    ASSERT_LE(longest.size(), 100U);
  }
}

}  // namespace
}  // namespace attend::config
