// Files of a run that were lost or replaced before it is resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/trainer.h"

namespace attend::train {
namespace {

using test::history;
using test::read_text;
using test::ScriptedValidator;
using test::TempDir;
using test::TinyRun;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A run of two epochs (10 updates), the first of which gave the best weights.
class ResumedFiles : public testing::Test {
 protected:
  ResumedFiles() { begin(folder_); }

  static void begin(const TempDir& folder, double best_loss = 1.0) {
    ScriptedValidator validator({best_loss, 2.0});
    TinyRun run(folder.path(), &validator);
    run.options.max_epochs = 2;
    run.trainer().run();
  }

  /// Resumes, trains a third epoch, and returns what resume() found. All validations are worse than
  /// those before.
  ResumePoint resume() {
    ScriptedValidator validator({3.0});
    TinyRun run(folder_.path(), &validator);
    Trainer trainer = run.trainer();
    ResumePoint found = trainer.resume();
    summary_ = trainer.run();
    return found;
  }

  const TempDir folder_;
  const std::filesystem::path best_ = folder_ / "best.safetensors";
  const std::filesystem::path history_ = folder_ / "train.jsonl";
  RunSummary summary_;
};

TEST_F(ResumedFiles, AreNotReportedIfNothingHasChanged) {
  const std::string best = read_text(best_);
  const ResumePoint found = resume();
  EXPECT_EQ(found.lost_best, "");
  EXPECT_EQ(found.lost_history, "");
  EXPECT_FALSE(found.new_text);
  EXPECT_EQ(summary_.best.update, 5);
  EXPECT_EQ(read_text(best_), best);
}

// Regression: the end of the run named a best model that did not exist.
TEST_F(ResumedFiles, LoseTheBestWeightsToAMissingFile) {
  std::filesystem::remove(best_);
  EXPECT_THAT(resume().lost_best, HasSubstr("best.safetensors"));
  EXPECT_EQ(summary_.best.update, 10) << "the next validation";
  EXPECT_EQ(storage::load_metadata(best_).at("update"), "10");
}

TEST_F(ResumedFiles, LoseTheBestWeightsToADamagedFile) {
  for (const std::size_t size : {0, 5'000}) {
    std::filesystem::resize_file(best_, size);
    EXPECT_THAT(resume().lost_best, HasSubstr("best.safetensors")) << size;
    EXPECT_NO_THROW(storage::check_tensors(best_)) << size;
  }
}

// The run makes no further update, so it must validate its last weights again.
TEST_F(ResumedFiles, ReplaceTheBestWeightsOfAFinishedRun) {
  std::filesystem::remove(best_);
  ScriptedValidator validator({3.0});
  TinyRun run(folder_.path(), &validator);
  run.options.max_epochs = 2;
  Trainer trainer = run.trainer();
  EXPECT_NE(trainer.resume().lost_best, "");
  EXPECT_EQ(trainer.run().best.update, 10);
  EXPECT_TRUE(test::same_weights(best_, folder_ / "last.safetensors"));
}

TEST_F(ResumedFiles, ReplaceBestWeightsThatAreLostWithoutAValidationSet) {
  const TempDir folder;
  TinyRun begun(folder.path());
  begun.options.max_epochs = 2;
  begun.trainer().run();
  std::filesystem::remove(folder / "best.safetensors");
  TinyRun run(folder.path());
  run.options.max_epochs = 2;
  Trainer trainer = run.trainer();
  EXPECT_NE(trainer.resume().lost_best, "");
  trainer.run();
  EXPECT_TRUE(test::same_weights(folder / "best.safetensors", folder / "last.safetensors"));
}

// Otherwise the run would overwrite them.
TEST_F(ResumedFiles, RefuseBestWeightsOfAnotherRun) {
  const TempDir other;
  begin(other, 0.5);
  std::filesystem::copy_file(other / "best.safetensors", best_,
                             std::filesystem::copy_options::overwrite_existing);
  const std::string theirs = read_text(best_);
  EXPECT_THAT([&] { resume(); },
              ThrowsMessage<ModelFileError>(AllOf(
                  HasSubstr("best.safetensors: "), HasSubstr("of update 5 with the score -0.5"),
                  HasSubstr("of update 5 with the score -1)"), HasSubstr("move this one"))));
  EXPECT_EQ(read_text(best_), theirs);
}

TEST_F(ResumedFiles, RefuseBestWeightsThatNoValidationMeasured) {
  std::filesystem::copy_file(folder_ / "last.safetensors", best_,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(resume(), ModelFileError);
}

// A file that cannot be read for the moment may be intact.
TEST_F(ResumedFiles, DoNotLoseBestWeightsThatCannotBeRead) {
  std::filesystem::remove(best_);
  std::filesystem::create_symlink("best.safetensors", best_);  // ELOOP
  EXPECT_THAT([&] { resume(); },
              ThrowsMessage<ModelFileError>(HasSubstr("best.safetensors: cannot read the file: ")));
}

// Regression: the new file began in the middle of the run.
TEST_F(ResumedFiles, LoseTheHistoryToAMissingFile) {
  const auto lines = static_cast<int>(history(folder_.path()).size());
  std::filesystem::remove(history_);
  EXPECT_THAT(resume().lost_history,
              AllOf(HasSubstr("train.jsonl: there is no such file"),
                    HasSubstr("had written " + std::to_string(lines) + " lines")));
  EXPECT_EQ(history(folder_.path()).front()["update"], 12);
}

TEST_F(ResumedFiles, LoseTheEndOfTheHistoryToAShorterFile) {
  std::filesystem::resize_file(history_, std::filesystem::file_size(history_) - 1);
  EXPECT_THAT(resume().lost_history, HasSubstr("train.jsonl: it has 4 of the 5 lines"));
  EXPECT_EQ(resume().lost_history, "") << "said twice";
}

// Otherwise the run would remove the lines that it does not know.
TEST_F(ResumedFiles, RefuseTheHistoryOfAnotherRun) {
  const TempDir other;
  begin(other, 0.5);
  std::filesystem::copy_file(other / "train.jsonl", history_,
                             std::filesystem::copy_options::overwrite_existing);
  const std::string theirs = read_text(history_);
  EXPECT_THAT([&] { resume(); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("train.jsonl: "), HasSubstr("5 lines"),
                                             HasSubstr("move this one"))));
  EXPECT_EQ(read_text(history_), theirs);
}

}  // namespace
}  // namespace attend::train
