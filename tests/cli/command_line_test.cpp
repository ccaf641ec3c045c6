#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CommandLine, HelpGoesToStandardOutput) {
  const auto ended = run_program({"--help"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("Usage: attend"), HasSubstr("Exit codes"), HasSubstr("Example:")));
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST(CommandLine, EveryCommandHasHelpThatFitsAScreenAndEndsWithAnExample) {
  for (const Command& command : commands()) {
    const auto ended = run_program({command.name, "--help"});
    EXPECT_EQ(ended.code, 0);
    const std::string example =
        ended.out.substr(std::min(ended.out.rfind("Example:"), ended.out.size()));
    EXPECT_THAT(example, HasSubstr(std::string("attend ") + command.name)) << command.name;
    EXPECT_LE(std::count(ended.out.begin(), ended.out.end(), '\n'), 50) << command.name;
  }
}

TEST(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(run_program({"help"}).out, run_program({"--help"}).out);
  EXPECT_EQ(run_program({"help", "eval"}).out, run_program({"eval", "--help"}).out);
  const auto ended = run_program({"help", "evl"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"eval\"?"));
}

TEST(CommandLine, PrintsItsVersion) {
  const auto ended = run_program({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, testing::ContainsRegex("^attend [0-9]+\\.[0-9]+\\.[0-9]+ "
                                                "\\(LibTorch [^)]+\\)\n"
                                                "kernels: [a-z0-9_]+\nbuild: [A-Z]\\w+, .+\n$"));
}

TEST(CommandLine, NamesTheNearestCommand) {
  const auto ended = run_program({"confg"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, StartsWith("error: unknown command \"confg\"; did you mean \"config\"?"));
  EXPECT_THAT(ended.err, HasSubstr("\nSee attend --help\n"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST(CommandLine, NeedsACommand) {
  const auto ended = run_program({});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("error: no command; the commands are"));
}

TEST(CommandLine, NamesTheNearestOption) {
  const auto ended = run_program({"config", "--sett", "seed=1"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "error: unknown option --sett; did you mean \"--set\"?\nSee attend config --help\n");
  EXPECT_THAT(run_program({"--verion"}).err, HasSubstr("did you mean \"--version\"?"));
}

TEST(CommandLine, RefusesAnExtraArgument) {
  const auto ended = run_program({"config", "a.yaml", "b.yaml"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("unexpected argument \"b.yaml\""));
}

// Regression: the empty argument of an unset shell variable was treated as a missing option.
TEST(CommandLine, RefusesAnEmptyArgument) {
  const std::vector<std::vector<std::string>> all = {{"train", "c.yaml", "--output", ""},
                                                     {"train", "c.yaml", "--output="},
                                                     {"translate", "--model", "m", "--output", ""}};
  for (const std::vector<std::string>& arguments : all) {
    const auto ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr("error: --output has an empty value"));
  }
  EXPECT_THAT(run_program({"config", ""}).err, HasSubstr("error: argument 2 is empty"));
}

TEST(CommandLine, ConfigErrorsStandAloneWithCode2) {
  const attend::test::TempDir dir;
  const auto file = dir.write("c.yaml", "sed: 1\n");
  const auto ended = run_program({"config", file.string()});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              StartsWith(file.string() + ":1:1: error: sed: unknown key; did you mean \"seed\"?"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST(CommandLine, AMissingConfigHasCode2) {
  const auto ended = run_program({"config", "/no/such.yaml"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "error: /no/such.yaml: cannot open the file: No such file or directory\n");
}

// Regression: the message was "not in range 0.000000 to 1797693134862315...", with 309 digits.
TEST(CommandLine, CountsAreWholeNumbersInRange) {
  for (const auto& [value, says] :
       {std::pair<std::string, std::string>{"-1", "-1 is not a whole number >= 0"},
        {"1.5", "1.5 is not a whole number >= 0"},
        {"x", "x is not a whole number >= 0"},
        {"99999999999999999999", "99999999999999999999 is out of range"}}) {
    const auto ended = run_program({"train", "x.yaml", "--seed", value});
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr(says));
  }
  EXPECT_THAT(run_program({"average", "a", "--output", "b", "--best", "0"}).err,
              HasSubstr("0 is not a whole number >= 1"));
}

TEST(CommandLine, ALogSizeNeedsALog) {
  const auto ended = run_program({"translate", "--model", "x", "--log-file-size", "1"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--log-file-size needs --log-file"));
}

constexpr const char* kQuickstart = ATTEND_SOURCE_DIR "/configs/quickstart.yaml";

// Regression: each was reported as an internal error.
TEST(CommandLine, ALoopOfLinksIsADataError) {
  const attend::test::TempDir dir;
  std::filesystem::create_symlink(dir / "loop", dir / "loop");
  const auto loop = (dir / "loop").string();
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"inspect", loop},
                                             {"translate", "--model", loop},
                                             {"average", "--output", loop, "a", "b"},
                                             {"train", kQuickstart, "--output", loop}}) {
    const auto ended = run_program(command);
    EXPECT_THAT(ended.code, AnyOf(2, 3)) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(loop), Not(HasSubstr("bug")))) << command.front();
    EXPECT_THAT(ended.err, AnyOf(HasSubstr("Too many levels"), HasSubstr("--output")));
  }
}

TEST(CommandLine, AWorkingDirectoryThatIsGoneIsADataError) {
  const auto here = std::filesystem::current_path();
  const attend::test::TempDir dir;
  std::filesystem::create_directory(dir / "gone");
  std::filesystem::current_path(dir / "gone");
  std::filesystem::remove(dir / "gone");
  const auto ended = run_program({"train", kQuickstart, "--output", "run"});
  std::filesystem::current_path(here);
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("working directory"), HasSubstr("No such file")));
}

TEST(ConfigCommand, ItsReferenceLoadsAgain) {
  const attend::test::TempDir dir;
  const auto reference = run_program({"config"});
  EXPECT_EQ(reference.code, 0);
  EXPECT_THAT(reference.out, HasSubstr("# one of adam, adamw, sgd; default: adam\n"));
  const auto again = run_program({"config", dir.write("c.yaml", reference.out).string()});
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST(ConfigCommand, PrintsTheResolvedConfig) {
  const attend::test::TempDir dir;
  const auto file =
      dir.write("c.yaml", "model: {embedding: 64}\ndata: {dev: {source: a, target: b}}\n");
  const auto ended =
      run_program({"config", file.string(), "--set", "seed=3", "--set", "model.encoder.layers=2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("seed: 3  # --set\n"));
  EXPECT_THAT(ended.out, HasSubstr("embedding: 64  # " + file.string() + ":1\n"));
  EXPECT_THAT(ended.out, HasSubstr("source: " + (dir / "a").string()));
  EXPECT_THAT(ended.out, HasSubstr("    layers: 2  # --set\n"));
}

}  // namespace
}  // namespace attend::cli
