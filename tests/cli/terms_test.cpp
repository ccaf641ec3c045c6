// translate --constraints, --glossary and --forbid.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::TempDir;
using test::Ended;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string spaced(const std::string& text) {
  return fmt::format(" {} ", text);
}

/// Matches lines that contain these whole words.
testing::Matcher<std::string> has_words(const std::string& words) {
  return testing::ResultOf(spaced, HasSubstr(spaced(words)));
}

/// An untrained model, and five lines for it, the second one empty.
class Terms : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] Ended translate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"translate", "--model", model_.path(), "--input",
                                         input_.string(), "--device", "cpu"});
    return test::run_program(arguments);
  }
  [[nodiscard]] std::vector<std::string> translated(
      const std::vector<std::string>& arguments) const {
    const Ended ended = translate(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return text_lines(ended.out);
  }
  [[nodiscard]] std::string write(const char* name, const std::string& text) const {
    return dir_.write(name, text).string();
  }
  void expect_failure(const Ended& ended, int code, const std::string& message) const {
    EXPECT_EQ(ended.code, code);
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(ended.out, "");
  }

  static inline test::SuiteModel model_;
  TempDir dir_;
  std::filesystem::path input_ = dir_.write("input", "a b c\n\nd a\nb\nc d\n");
  std::string constraints_ = write("constraints", R"(["z w"]

[["w w w", "y y y"], "x"]
[]
["z", "z", "z"]
)");
};

void expect_constraints_met(const std::vector<std::string>& lines, std::size_t each) {
  ASSERT_THAT(lines, SizeIs(5 * each));
  for (std::size_t i = 0; i < each; ++i) {
    EXPECT_THAT(lines[i], has_words("z w"));
    EXPECT_THAT(lines[2 * each + i], testing::AnyOf(has_words("w w w"), has_words("y y y")));
    EXPECT_THAT(lines[2 * each + i], has_words("x"));
    EXPECT_GE(std::ranges::count(lines[4 * each + i], 'z'), 3);
  }
}

TEST_F(Terms, ConstraintsAreInEachTranslation) {
  const auto lines = translated({"--constraints", constraints_});
  expect_constraints_met(lines, 1);
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[3], translated({})[3]);
}

TEST_F(Terms, ConstraintsAreInTranslationsOfEveryBeamBatchAndEnsemble) {
  const auto base = translated({"--constraints", constraints_, "--scores"});
  EXPECT_EQ(translated({"--constraints", constraints_, "--scores", "--batch-size", "1"}), base);
  for (const char* beam : {"1", "7"})
    expect_constraints_met(translated({"--constraints", constraints_, "--beam", beam}), 1);
  expect_constraints_met(
      translated({"--constraints", constraints_, "--model", model_.path(), "--beam", "4"}), 1);
}

TEST_F(Terms, ConstraintsAreInEveryTranslationOfAnNBestList) {
  const auto lines = translated({"--constraints", constraints_, "--n-best", "3", "--beam", "6"});
  std::map<char, int> counts;
  for (const std::string& line : lines) {
    ++counts[line[0]];
    const std::string text = line.substr(0, line.rfind(" |||"));
    if (line[0] == '0') {
      EXPECT_THAT(text, has_words("z w"));
    }
    if (line[0] == '4') {
      EXPECT_GE(std::ranges::count(text, 'z'), 3);
    }
  }
  EXPECT_EQ(counts['0'], 3);
  EXPECT_EQ(counts['4'], 3);
}

TEST_F(Terms, ConstraintsExtendAShortlist) {
  const auto shortlist = write("lex", "▁x ▁a 1\n▁x ▁b 1\n▁x ▁c 1\n▁x ▁d 1\n▁x NULL 1\n");
  expect_constraints_met(
      translated({"--constraints", constraints_, "--shortlist", shortlist, "1", "1"}), 1);
}

TEST_F(Terms, ConstraintsMustMatchTheInputLineByLine) {
  expect_failure(translate({"--constraints", write("short", "[]\n")}), 3,
                 "has 1; give one list of constraints (or an empty line) for each line");
  expect_failure(translate({"--constraints", write("bad", "[]\n\n[\"x\", 1]\n\n\n")}), 3,
                 "bad:3:7: a number; expected a JSON list");
  expect_failure(translate({"--constraints", write("unknown", "[\"☃\"]\n\n\n\n\n")}), 3,
                 "unknown:1:2: \"☃\" has \"☃\", which the model's vocabulary lacks");
  expect_failure(translate({"--constraints", write("empty", "\n[\"x\"]\n\n\n\n")}), 3,
                 "empty:2: has constraints for an empty line");
}

TEST_F(Terms, GlossaryRequiresTheTranslationsOfItsTerms) {
  const auto glossary = write("glossary", "A\tz z\ttwice\nc d\tw|y y\nd\tx x x\n");
  const auto lines = translated({"--glossary", glossary});
  EXPECT_THAT(lines[0], has_words("z z"));
  EXPECT_THAT(lines[2], AllOf(has_words("z z"), has_words("x x x")));
  EXPECT_EQ(lines[3], translated({})[3]);
  EXPECT_THAT(lines[4], testing::AnyOf(has_words("w"), has_words("y y")));
  EXPECT_THAT(translate({"--glossary", glossary}).err, HasSubstr("glossary: 3 terms"));
}

TEST_F(Terms, GlossaryAndConstraintsAddUp) {
  const auto glossary = write("glossary", "a\ty y y y\n");
  const auto lines = translated({"--glossary", glossary, "--constraints", constraints_});
  expect_constraints_met(lines, 1);
  EXPECT_THAT(lines[0], has_words("y y y y"));
}

// The model reads 12 pieces.
TEST_F(Terms, GlossaryRequiresNothingForTheEndOfALineThatIsCut) {
  const auto input = write("cut", "a a a a a a a a a a a a b b b\n");
  const auto glossary = write("glossary", "b\tz z z\n");
  const auto output = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"translate", "--model", model_.path(), "--input", input});
    return test::run_program(more).out;
  };
  EXPECT_EQ(output({"--glossary", glossary}), output({}));
}

TEST_F(Terms, GlossaryNamesTheLineOfAMistake) {
  expect_failure(translate({"--glossary", write("bad", "a\tw\nb w\n")}), 3, "bad:2: \"b w\"");
}

TEST_F(Terms, ForbiddenWordsAreInNoTranslation) {
  const auto free = translated({});
  const std::string word = free[0].substr(0, free[0].find(' '));
  for (const std::string& given : {word, fmt::format("@{}", write("words", word + "\n\n"))}) {
    for (const auto& line : translated({"--forbid", given}))
      EXPECT_THAT(line, Not(has_words(word)));
  }
}

// Regression: the message named no line. A greedy search that begins with a word cannot end it.
TEST_F(Terms, NamesTheLineThatHasNoOutput) {
  const std::vector<std::string> free = translated({"--beam", "1"});
  const auto first = std::ranges::find_if(free, [](const auto& line) { return !line.empty(); });
  ASSERT_NE(first, free.end());
  const test::Ended ended = translate({"--beam", "1", "--batch-size", "1", "--forbid", "w",
                                       "--forbid", "x", "--forbid", "y", "--forbid", "z"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr(fmt::format("line {}: the constraints forbid every continuation",
                                               first - free.begin() + 1)));
}

TEST_F(Terms, ForbiddenWordsConflictWithRequiredOnes) {
  expect_failure(translate({"--forbid", "z", "--constraints", constraints_}), 3,
                 "constraints:1:2: \"z w\" contains a forbidden word");
  expect_failure(translate({"--forbid", "x y"}), 2,
                 "--forbid \"x y\" has a space; expected one word");
  expect_failure(translate({"--forbid", fmt::format("@{}", write("words", "x\nx y\n"))}), 3,
                 "words:2: \"x y\" has a space; expected one word");
}

TEST_F(Terms, AreNotSampled) {
  expect_failure(translate({"--sample", "--constraints", constraints_}), 2, "--constraints");
}

TEST_F(Terms, OfAModelThatWritesFromTheEndAreInItsTranslations) {
  const auto reversed = test::train_tiny_model(dir_, "reversed", {"data.reverse_target=true"});
  const auto translate_reversed = [&](const std::string& option, const std::string& value) {
    return test::run_program({"translate", "--model", reversed.string(), "--input", input_.string(),
                              "--device", "cpu", option, value});
  };
  const Ended ended = translate_reversed("--constraints", constraints_);
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_constraints_met(text_lines(ended.out), 1);
  EXPECT_THAT(translate_reversed("--forbid", "x").err, HasSubstr("data.reverse_target"));
}

}  // namespace
}  // namespace attend::cli
