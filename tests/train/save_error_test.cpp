// A disk that fills up during a run (training.on_save_error).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/fault_point.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/trainer.h"

namespace attend::train {
namespace {

using test::CorpusLossValidator;
using test::history;
using test::same_weights;
using test::ScriptedValidator;
using test::TempDir;
using test::TinyRun;
using test::without_timing;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

class SaveError : public testing::Test {
 protected:
  ~SaveError() override { plan_faults(""); }

  /// A run of 15 updates with a validation after every 5 and a checkpoint after every 4. After
  /// `first` updates writing fails; after `last` it works again.
  void run_with_full_disk(const TempDir& folder, int64_t first, int64_t last,
                          OnSaveError on_save_error = OnSaveError::proceed) {
    TinyRun run(folder.path());
    CorpusLossValidator validator(run.corpus);
    run.validator = &validator;
    run.options.save_every.updates = 4;
    run.options.on_save_error = on_save_error;
    run.recorder.after_update = [&](int64_t update) {
      if (update == first) plan_faults("fail=1");
      if (update == last) plan_faults("");
    };
    try {
      run.trainer().run();
    } catch (const UserError&) {
      errors_ = run.recorder.save_errors;
      plan_faults("");
      throw;
    }
    errors_ = run.recorder.save_errors;
  }

  std::vector<SaveErrorReport> errors_;
};

TEST_F(SaveError, LosesNothingOfARunThatGoesOn) {
  const TempDir undisturbed;
  const TempDir disturbed;
  run_with_full_disk(undisturbed, 0, 0);
  EXPECT_THAT(errors_, IsEmpty());
  run_with_full_disk(disturbed, 6, 9);  // fails at the log of update 6 and the checkpoint of 8
  EXPECT_THAT(errors_, Not(IsEmpty()));
  EXPECT_THAT(errors_.front().message,
              AllOf(HasSubstr("train.jsonl: cannot write"), HasSubstr("training.on_save_error")));
  EXPECT_TRUE(same_weights(undisturbed / "last.safetensors", disturbed / "last.safetensors"));
  EXPECT_TRUE(same_weights(undisturbed / "best.safetensors", disturbed / "best.safetensors"));
  EXPECT_EQ(without_timing(history(disturbed.path())), without_timing(history(undisturbed.path())));
}

// Weights that could not be saved do not count as the best, so that worse ones can replace them.
TEST_F(SaveError, WeightsThatCouldNotBeSavedAreNotTheBest) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5});
  TinyRun run(folder.path(), &validator);
  run.recorder.after_update = [](int64_t update) {
    if (update == 10) plan_faults("fail=1,only=best.safetensors");
    if (update == 11) plan_faults("");
  };
  const RunSummary summary = run.trainer().run();
  ASSERT_EQ(run.recorder.validations.size(), 3U);
  EXPECT_FALSE(run.recorder.validations[1].best);
  EXPECT_TRUE(run.recorder.validations[2].best);
  EXPECT_EQ(summary.best.merit.score, -2.5);
  EXPECT_TRUE(same_weights(folder / "best.safetensors", folder / "last.safetensors"));
}

/// Sets the faults `plan` after the last update (15), before its validation.
void fail_at_the_end(TinyRun& run, const std::string& plan) {
  run.recorder.after_update = [plan](int64_t update) {
    if (update == 15) plan_faults(plan);
  };
}

// Regression: a run that could not write its last and best weights exited with 0, and resuming did
// not help.
TEST_F(SaveError, TheBestWeightsOfTheLastValidationAreWrittenLaterOrTheRunFails) {
  for (const bool validated : {true, false}) {
    for (const std::string plan : {"fail=1-1", "fail=1"}) {
      const TempDir folder;
      ScriptedValidator validator({3.0, 2.5, 2.0});
      TinyRun run(folder.path(), validated ? &validator : nullptr);
      fail_at_the_end(run, plan + ",only=open best.safetensors");
      if (plan == "fail=1-1") {
        EXPECT_EQ(run.trainer().run().best.merit.score, validated ? -2.0 : 0.0);
        EXPECT_THAT(run.recorder.save_errors, SizeIs(1));
      } else {
        EXPECT_THAT([&] { run.trainer().run(); },
                    ThrowsMessage<DataError>(HasSubstr("best.safetensors")));
        plan_faults("");
        TinyRun again(folder.path(), validated ? &validator : nullptr);
        Trainer trainer = again.trainer();
        trainer.resume();
        EXPECT_EQ(trainer.run().best.merit.score, validated ? -2.0 : 0.0);
        EXPECT_THAT(again.recorder.updates, IsEmpty());
      }
      plan_faults("");
      EXPECT_TRUE(same_weights(folder / "best.safetensors", folder / "last.safetensors"));
    }
  }
}

TEST_F(SaveError, AnAverageThatCannotBeWrittenIsMadeWhereTheRunGoesOn) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5, 1.5});  // the fourth is for the average
  TinyRun run(folder.path(), &validator);
  run.options.average = {.last = 2, .best = 0};
  fail_at_the_end(run, "fail=1,only=open best.safetensors");
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<DataError>(HasSubstr("best.safetensors")));
  plan_faults("");
  TinyRun again(folder.path(), &validator);
  again.options.average = {.last = 2, .best = 0};
  Trainer trainer = again.trainer();
  trainer.resume();
  EXPECT_EQ(trainer.run().best.merit.score, -1.5);
}

TEST_F(SaveError, StopsWhereThatIsAsked) {
  const TempDir undisturbed;
  const TempDir stopped;
  run_with_full_disk(undisturbed, 0, 0);
  EXPECT_THROW(run_with_full_disk(stopped, 6, 99, OnSaveError::stop), DataError);
  EXPECT_THAT(errors_, IsEmpty());
  TinyRun again(stopped.path());
  CorpusLossValidator validator(again.corpus);
  again.validator = &validator;
  again.options.save_every.updates = 4;
  Trainer trainer = again.trainer();
  EXPECT_EQ(trainer.resume().point.update, 5) << "what was saved before is whole";
  trainer.run();
  EXPECT_TRUE(same_weights(undisturbed / "last.safetensors", stopped / "last.safetensors"));
  EXPECT_EQ(without_timing(history(stopped.path())), without_timing(history(undisturbed.path())));
}

TEST_F(SaveError, EndsAfterTheFirstUpdateWithoutACheckpoint) {
  const TempDir folder;
  TinyRun run(folder.path());
  plan_faults("fail=1,only=last.state");
  EXPECT_THAT([&] { run.trainer().run(); }, ThrowsMessage<DataError>(HasSubstr("last.state")));
  EXPECT_THAT(run.recorder.updates, SizeIs(1));
}

TEST_F(SaveError, DoesNotEndAsIfAllWereSaved) {
  const TempDir folder;
  EXPECT_THROW(run_with_full_disk(folder, 13, 99), DataError);
  EXPECT_THAT(errors_, Not(IsEmpty()));
  TinyRun again(folder.path());
  Trainer trainer = again.trainer();
  EXPECT_EQ(trainer.resume().point.update, 12);
}

}  // namespace
}  // namespace attend::train
