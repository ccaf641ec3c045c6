// The manual pages and completions are made from the parser, so they have every option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "cli/commands.h"
#include "cli/reference/program_table.h"
#include "config/load.h"
#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ProgramTable all_commands() {
  CLI::App app;
  add_commands(app);
  return program_table(app);
}

/// The entry of an option, by its last name.
OptionEntry option_of(const std::string& command, const std::string& name) {
  for (const CommandEntry& entry : all_commands().commands) {
    for (const OptionEntry& option : entry.options) {
      const bool found =
          option.names.empty() ? option.argument == name : option.names.back() == name;
      if (entry.name == command && found) return option;
    }
  }
  throw std::out_of_range(command + " " + name);
}

std::string with_troff_hyphens(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '-' ? std::string("\\-") : std::string(1, c);
  return text;
}

TEST(ProgramTable, KnowsWhatTheValuesOfOptionsAre) {
  EXPECT_EQ(option_of("train", "CONFIG").kind, ValueKind::kFile);
  EXPECT_EQ(option_of("train", "--output").kind, ValueKind::kFolder);
  EXPECT_EQ(option_of("train", "--set").kind, ValueKind::kSetting);
  EXPECT_EQ(option_of("train", "--ranks").kind, ValueKind::kText);
  EXPECT_EQ(option_of("train", "--resume").kind, ValueKind::kNothing);
  EXPECT_THAT(option_of("align", "--format").choices, ElementsAre("pharaoh", "jsonl"));
  EXPECT_EQ(option_of("align", "--format").kind, ValueKind::kChoice);
  EXPECT_THAT(option_of("train", "--device").choices, ElementsAre("auto", "cpu", "cuda"));
  EXPECT_TRUE(option_of("eval", "--hypothesis").several);
  EXPECT_FALSE(option_of("translate", "--model").several);
  EXPECT_TRUE(option_of("translate", "--model").required);
}

// Symptom: only the manual page had --mbr-weights. The help omits --kernels, which is for
// developers.
TEST(ProgramTable, HasOnlyOptionsThatTheHelpNames) {
  for (const CommandEntry& command : all_commands().commands) {
    const std::string help = run_program({command.name, "--help"}).out;
    for (const OptionEntry& option : command.named()) {
      const std::string& name = option.names.back();
      if (name != "--kernels") {
        EXPECT_THAT(help, testing::ContainsRegex(name + "[^a-z-]")) << command.name;
      }
    }
  }
}

TEST(ProgramTable, KnowsTheChoicesOfConfigKeys) {
  const auto keys = config_keys();
  const auto choices = [&](const std::string& key) {
    const auto found = std::ranges::find(keys, key, &KeyEntry::key);
    return found == keys.end() ? std::vector<std::string>{"no such key"} : found->choices;
  };
  EXPECT_THAT(choices("training.optimizer"), ElementsAre("adam", "adamw", "sgd"));
  EXPECT_THAT(choices("tokenizer.joint"), ElementsAre("true", "false"));
  EXPECT_THAT(choices("seed"), ElementsAre());
}

TEST(ManPages, HaveEveryOptionOfTheirCommand) {
  for (const CommandEntry& command : all_commands().commands) {
    const auto page = run_program({"man", command.name});
    EXPECT_EQ(page.code, 0) << page.err;
    EXPECT_THAT(page.out, HasSubstr("attend\\-" + command.name + " \\- "));
    for (const OptionEntry& option : command.options) {
      for (const std::string& name : option.names)
        EXPECT_THAT(page.out, HasSubstr("\\fB" + with_troff_hyphens(name) + "\\fR"))
            << command.name;
      if (option.names.empty()) {
        EXPECT_THAT(page.out, HasSubstr("\n\\fI" + option.argument + "\\fR\n")) << command.name;
      }
    }
  }
}

TEST(ManPages, OfTheProgramHasEveryCommandAndTheExitCodes) {
  const auto page = run_program({"man"});
  for (const CommandEntry& command : all_commands().commands)
    EXPECT_THAT(page.out, HasSubstr("\n\\fBattend\\-" + command.name + "\\fR(1)\n"));
  EXPECT_THAT(page.out, HasSubstr(".SH \"EXIT STATUS\"\n0 success, 1 internal error"));
  EXPECT_THAT(page.out, HasSubstr("\\fB\\-\\-version\\fR"));
}

TEST(ManPages, AreWrittenIntoAFolder) {
  const attend::test::TempDir dir;
  const std::filesystem::path folder = dir / "man1";
  EXPECT_EQ(run_program({"man", "--folder", folder.string()}).code, 0);
  EXPECT_EQ(attend::test::read_text(folder / "attend.1"), run_program({"man"}).out);
  for (const CommandEntry& command : all_commands().commands)
    EXPECT_EQ(attend::test::read_text(folder / ("attend-" + command.name + ".1")),
              run_program({"man", command.name}).out);
  EXPECT_EQ(run_program({"man", "train", "--folder", folder.string()}).code, 2);
}

TEST(Completion, NamesTheNearestShell) {
  const auto ended = run_program({"completion", "bsh"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"bash\"? (choices: bash, zsh, fish)"));
}

/// The line of a script that holds `first`, and from there on to the line that holds `last`.
std::string part(const std::string& script, const std::string& first, const std::string& last) {
  const std::size_t begin = script.find(first);
  if (begin == std::string::npos) return "";
  return script.substr(begin, script.find(last, begin + first.size()) - begin);
}

TEST(Completion, HasEveryOptionInEveryShell) {
  const std::string bash = run_program({"completion", "bash"}).out;
  const std::string zsh = run_program({"completion", "zsh"}).out;
  const std::string fish = run_program({"completion", "fish"}).out;
  for (const CommandEntry& command : all_commands().commands) {
    const std::string bash_words = part(bash.substr(bash.find("_attend_options()")),
                                        "\n    " + command.name + ") words='", "' ;;") +
                                   " ";
    const std::string in_zsh = part(zsh, "\n        " + command.name + ") _arguments", ";;\n");
    for (const OptionEntry& option : command.named()) {
      const std::string& name = option.names.back();
      EXPECT_THAT(bash_words, testing::ContainsRegex("[ ']" + name + " ")) << command.name;
      EXPECT_THAT(in_zsh, HasSubstr("'*" + name + "[")) << command.name;
      EXPECT_THAT(fish, HasSubstr("__fish_seen_subcommand_from " + command.name + "' ")) << name;
      EXPECT_THAT(fish, testing::ContainsRegex("seen_subcommand_from " + command.name +
                                               "'( -s h)? -l " + name.substr(2) + " "));
    }
  }
}

TEST(Completion, HasEveryConfigKeyInEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run_program({"completion", shell}).out;
    for (const std::string& key : config::dotted_keys(config::schema_of<app::Experiment>().keys()))
      EXPECT_THAT(script, testing::ContainsRegex("[ ']" + key + "[ '=]")) << shell;
  }
}

}  // namespace
}  // namespace attend::cli
