// No command overwrites its input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;

class KeptInputs : public testing::Test {
 protected:
  /// Refused before the (missing) model is loaded.
  void expect_refused(std::vector<std::string> arguments) {
    const auto ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments.front() << ": " << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("is also an input"), HasSubstr("another file")));
    EXPECT_EQ(read_text(dir_ / "text"), "a b\n");
  }

  TempDir dir_;
  const std::string text_ = dir_.write("text", "a b\n").string();
  const std::string other_ = dir_.write("other", "c d\n").string();
};

// Regression: the sentences or references were overwritten, with exit code 0.
TEST_F(KeptInputs, AreCheckedByEveryCommandThatWritesAFile) {
  expect_refused({"translate", "--model", "x", "--input", text_, "--output", text_});
  expect_refused({"translate", "--model", "x", "--input", text_, "--attention", text_});
  expect_refused({"translate", "--model", "x", "--prefix", text_, "--alignments", text_});
  expect_refused({"translate", "--model", "x", "--input", other_, "--shortlist", text_, "50", "50",
                  "--output", text_});
  expect_refused(
      {"score", "--model", "x", "--source", other_, "--target", text_, "--output", text_});
  expect_refused(
      {"align", "--model", "x", "--source", text_, "--target", other_, "--output", text_});
  expect_refused({"align", "--model", "x", "--source", other_, "--target", other_, "--gold", text_,
                  "--output", text_});
  expect_refused(
      {"lexicon", "--model", "x", "--source", text_, "--target", other_, "--output", text_});
  expect_refused({"rerank", "--n-best", text_, "--oracle", other_, "--output", text_});
  expect_refused({"rerank", "--n-best", other_, "--tune", other_, "--feature", "x=" + text_,
                  "--output", text_});
  expect_refused({"merge", other_, text_, "--output", text_});
}

// Regression: the log was appended to the sentences and translated.
TEST_F(KeptInputs, AreNotLogFiles) {
  const std::string config =
      dir_.write("c.yaml", "data: {train: {source: text, target: other}}\n").string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"translate", "--model", "x", "--input", text_}, text_},
      {{"score", "--model", "x", "--source", other_, "--target", text_}, text_},
      {{"align", "--model", "x", "--source", other_, "--target", text_}, text_},
      {{"align", "--links", other_, "--gold", text_}, text_},
      {{"eval", "--hypothesis", other_, "--reference", text_}, text_},
      {{"inspect", "x", "--source", other_, "--target", text_}, text_},
      {{"lexicon", "--model", "x", "--source", text_, "--target", other_}, text_},
      {{"rerank", "--n-best", text_, "--oracle", other_}, text_},
      {{"train", config, "--output", (dir_ / "run").string()}, text_},
      {{"train", config, "--output", (dir_ / "run").string()}, config}};
  for (auto [arguments, log] : cases) {
    const std::string before = read_text(log);
    arguments.insert(arguments.end(), {"--log-file", log});
    const auto ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments.front() << ": " << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("--log-file " + log + " is also an input"));
    EXPECT_EQ(read_text(log), before);
  }
}

TEST_F(KeptInputs, AreRecognisedUnderOtherNames) {
  std::filesystem::create_symlink(text_, dir_ / "link");
  const std::string link = (dir_ / "link").string();
  expect_refused({"translate", "--model", "x", "--input", text_, "--output", link});
  expect_refused(
      {"translate", "--model", "x", "--input", "a=" + other_ + ",b=" + text_, "--output", link});
}

TEST_F(KeptInputs, MayStandBesideTheOutput) {
  const auto ended = run_program(
      {"translate", "--model", "x", "--input", text_, "--output", (dir_ / "new").string()});
  EXPECT_EQ(ended.code, 3) << "the model is missing";
}

}  // namespace
}  // namespace attend::cli
