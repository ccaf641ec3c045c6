#include "app/run/dry_run.h"

#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The output of `train --dry-run` for the config of train_tiny_model() with further settings.
std::string dry_run(const std::vector<std::string>& settings, const char* more = "--quiet") {
  const TempDir dir;
  (void)cli::test::train_tiny_model(dir, "tiny", {});
  std::vector<std::string> arguments = {"train",
                                        (dir / "tiny.yaml").string(),
                                        "--dry-run",
                                        "--output",
                                        (dir / "new").string(),
                                        "--device",
                                        "cpu",
                                        more};
  for (const std::string& setting : settings) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const cli::test::Ended ended = cli::test::run_program(arguments);
  EXPECT_EQ(ended.code, 0) << ended.err;
  return ended.out;
}

// Vocabularies of 8, encoder 5 per direction, decoder 7; two heads with keys and values of 5.
TEST(DryRun, ShowsShapesAndParameters) {
  EXPECT_THAT(dry_run({"model.attention.heads=2"}),
              AllOf(HasSubstr("shapes of the first batch\n"),
                    ContainsRegex("encoder output +\\[[0-9]+, [0-9]+, 10\\]"),
                    ContainsRegex("values by head +\\[[0-9]+, 2, [0-9]+, 5\\]"),
                    ContainsRegex("first decoder state +\\[[0-9]+, 7\\]"),
                    ContainsRegex("attention by head +\\[[0-9]+, 2, [0-9]+, [0-9]+\\]"),
                    ContainsRegex("scores of a step +\\[[0-9]+, 8\\]"),
                    ContainsRegex("decoder.attention +[0-9,]+ +[0-9.]+ %")));
}

// Symptom: 190 lines of config hid the pairs.
TEST(DryRun, ShowsTheConfigOnlyOnRequest) {
  EXPECT_THAT(dry_run({}), Not(HasSubstr("score: additive")));
  EXPECT_THAT(dry_run({}, "--verbose"),
              AllOf(StartsWith("seed: 3\n"), HasSubstr("    score: additive\n"),
                    HasSubstr("\n\nfirst pairs of the training text")));
}

TEST(DryRun, ShowsTheFirstPairsInPieces) {
  EXPECT_THAT(
      dry_run({}),
      StartsWith("first pairs of the training text, in pieces\n  line 1\n    source     ▁a ▁b ▁c\n"
                 "    target     ▁w ▁x ▁y\n  line 2\n"));
}

TEST(DryRun, OmitsPartsThatTheModelLacks) {
  EXPECT_THAT(dry_run({"model.decoder.wiring=none"}),
              AllOf(HasSubstr("encoder output"), Not(HasSubstr("keys for the score")),
                    Not(HasSubstr("  attention  "))));
}

}  // namespace
}  // namespace attend::app
