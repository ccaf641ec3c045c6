// The pages of `attend help TOPIC`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/help/topics.h"
#include "core/error.h"
#include "core/named_enum.h"
#include "nn/attention/names.h"
#include "tests/cli/program.h"

namespace attend::cli {
namespace {

using test::run_program;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string page(const std::string& topic) {
  const auto ended = run_program({"help", topic});
  EXPECT_EQ(ended.code, 0) << topic;
  EXPECT_THAT(ended.err, IsEmpty()) << topic;
  return ended.out;
}

TEST(HelpTopics, FitATerminalOf80Columns) {
  for (const Topic& topic : topics()) {
    std::istringstream lines{std::string(topic.text)};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80) << line;
    EXPECT_THAT(std::string(topic.text), HasSubstr("\nGuide: src/")) << topic.name;
  }
}

template <class Kind>
void expect_named(const std::string& text) {
  for (const Kind kind : enum_values<Kind>())
    EXPECT_THAT(text, HasSubstr(fmt::format("\n  {} ", enum_name(kind))));
}

TEST(HelpTopics, AttentionNamesEveryBlock) {
  const std::string text = page("attention");
  expect_named<nn::ScoreKind>(text);
  expect_named<nn::DistributionKind>(text);
  expect_named<nn::ScopeKind>(text);
}

TEST(HelpTopics, ExitCodesAreThoseOfTheProgram) {
  const std::string text = page("exit-codes");
  for (const ExitCode code : {ExitCode::kDone, ExitCode::kInternal, ExitCode::kUsage,
                              ExitCode::kData, ExitCode::kNumeric, ExitCode::kPeers})
    EXPECT_THAT(text, HasSubstr(fmt::format("\n  {}   ", static_cast<int>(code))));
  EXPECT_THAT(text, HasSubstr(fmt::format("\n  {} + N", static_cast<int>(ExitCode::kSignalBase))));
}

TEST(HelpTopics, OfACommandFollowsItsOptions) {
  const std::string text = page("config");
  EXPECT_THAT(text, StartsWith(run_program({"config", "--help"}).out));
  EXPECT_THAT(text, HasSubstr("A config is YAML"));
}

TEST(HelpTopics, AreNamedInTheHelpAndInErrors) {
  const std::string help = run_program({"--help"}).out;
  for (const Topic& topic : topics()) EXPECT_THAT(help, HasSubstr(std::string(topic.name)));
  const auto ended = run_program({"help", "format"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("no help for \"format\"; did you mean \"formats\"?"));
}

TEST(ConfigCommand, ExplainsAKeyOrASection) {
  const auto key = run_program({"config", "training.schedule"});
  EXPECT_EQ(key.code, 0);
  EXPECT_THAT(key.out, AllOf(StartsWith("training:\n  # "), HasSubstr("default: plateau"),
                             HasSubstr("\n  schedule: plateau\n"), Not(HasSubstr("patience:"))));
  const auto section = run_program({"config", "training.batch", "--set", "training.batch.size=7"});
  EXPECT_THAT(section.out, AllOf(HasSubstr("    size: 7\n"), HasSubstr("default: 4000"),
                                 HasSubstr("    unit: tokens\n")));
}

TEST(ConfigCommand, NamesTheNearestKey) {
  const auto misspelt = run_program({"config", "training.schedul"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, StartsWith("error: \"training.schedul\" is neither a file nor a key; "
                                       "did you mean \"schedule\"?"));
  EXPECT_THAT(run_program({"config", "training.lr"}).err,
              HasSubstr("did you mean training.learning_rate?"));
}

TEST(HelpTopics, AreCompleted) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(run_program({"completion", shell}).out,
                ContainsRegex("help.*attention exit-codes formats precision"))
        << shell;
  }
}

}  // namespace
}  // namespace attend::cli
