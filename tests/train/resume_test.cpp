#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <csignal>
#include <stdexcept>

#include "core/error.h"
#include "core/signal.h"
#include "tests/data/toy_corpus.h"
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

/// Optional features whose state must survive.
struct Variant {
  std::string name;
  std::function<void(TrainingOptions&)> change;
};

class Resuming : public testing::TestWithParam<Variant> {
 protected:
  void TearDown() override { clear_requested_stop(); }

  /// Runs to the end, stopped by a signal and resumed after each of `stops` updates.
  void run_with_stops(const std::filesystem::path& folder, const std::vector<int64_t>& stops) {
    for (std::size_t part = 0; part <= stops.size(); ++part) {
      TinyRun run(folder);
      CorpusLossValidator validator(run.corpus);
      run.validator = &validator;
      GetParam().change(run.options);
      const TempDir pieces;
      const text::Tokenizer words = test::word_tokenizer(pieces);
      run.target = &words;
      run.recorder.after_update = [&](int64_t update) {
        if (part < stops.size() && update == stops[part]) std::raise(SIGTERM);
      };
      Trainer trainer = run.trainer();
      if (part > 0) trainer.resume();
      if (part < stops.size()) {
        EXPECT_THROW(trainer.run(), Stopped);
        clear_requested_stop();
      } else {
        trainer.run();
      }
    }
  }
};

TEST_P(Resuming, EqualsNeverHavingStoppedBitForBit) {
  install_signal_handlers();
  const TempDir whole;
  const TempDir parts;
  run_with_stops(whole.path(), {});
  run_with_stops(parts.path(), {2, 5, 13});  // in the 1st epoch, at its end, in the 3rd
  for (const char* file : {"best.safetensors", "last.safetensors"}) {
    EXPECT_TRUE(same_weights(whole / file, parts / file)) << file;
  }
  const auto expected = without_timing(history(whole.path()));
  EXPECT_GE(expected.size(), 8U);
  EXPECT_EQ(without_timing(history(parts.path())), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Variants, Resuming,
    testing::Values(
        Variant{"Adam", [](TrainingOptions&) {}},
        Variant{"SgdWithMomentum",
                [](TrainingOptions& options) {
                  options.optimizer = OptimizerKind::sgd;
                  options.momentum = 0.9;
                  options.learning_rate = 0.5;
                }},
        Variant{"MovingAverage", [](TrainingOptions& options) { options.ema = 0.9; }},
        Variant{"RDrop", [](TrainingOptions& options) { options.r_drop = 3.0; }},
        Variant{"MinimumRisk", [](TrainingOptions& options) { options.mrt.samples = 3; }},
        Variant{"PlateauThatCutsAtOnce",
                [](TrainingOptions& options) {
                  options.learning_rate = 0.3;
                  options.decay.patience = 1;
                }},
        Variant{"AccumulationAndWarmup",
                [](TrainingOptions& options) {
                  options.max_epochs = 6;
                  options.accumulate = 2;
                  options.warmup_updates = 10;
                }},
        Variant{"AverageOfTheLast",
                [](TrainingOptions& options) { options.average = {.last = 2, .best = 0}; }}),
    [](const auto& variant) { return variant.param.name; });

// kill -9 leaves no chance to save. The run resumes from an older state, and later files do no
// harm.
TEST(Trainer, GoesOnFromAnOlderStateAfterAKill) {
  const TempDir whole;
  const TempDir killed;
  const auto run_in = [](const TempDir& folder, bool kill, bool resume) {
    TinyRun run(folder.path());
    CorpusLossValidator validator(run.corpus);
    run.validator = &validator;
    run.options.save_every.updates = 4;
    run.recorder.after_update = [kill](int64_t update) {
      if (kill && update == 11) throw std::runtime_error("killed");
    };
    Trainer trainer = run.trainer();
    if (resume) trainer.resume();
    trainer.run();
  };
  run_in(whole, false, false);
  EXPECT_THROW(run_in(killed, true, false), std::runtime_error);
  run_in(killed, false, true);
  EXPECT_TRUE(same_weights(whole / "last.safetensors", killed / "last.safetensors"));
  EXPECT_TRUE(same_weights(whole / "best.safetensors", killed / "best.safetensors"));
  EXPECT_EQ(without_timing(history(killed.path())), without_timing(history(whole.path())));
}

// Without a validation set saving takes another path.
TEST(Trainer, GoesOnWithAMovingAverageAndNoDevelopmentText) {
  const TempDir whole;
  const TempDir parts;
  const auto run_in = [](const TempDir& folder, int64_t max_epochs, bool resume) {
    TinyRun run(folder.path());
    run.options.ema = 0.9;
    run.options.max_epochs = max_epochs;
    Trainer trainer = run.trainer();
    if (resume) trainer.resume();
    trainer.run();
  };
  run_in(whole, 3, false);
  run_in(parts, 1, false);
  run_in(parts, 3, true);
  EXPECT_TRUE(same_weights(whole / "last.safetensors", parts / "last.safetensors"));
}

TEST(Trainer, SavesTheStateWhereAValidationIsStopped) {
  const TempDir folder;
  ScriptedValidator validator({2.0});
  TinyRun run(folder.path(), &validator);
  validator.look = [](model::Seq2Seq&) { throw Stopped(SIGINT, "stopped"); };
  EXPECT_THROW(run.trainer().run(), Stopped);
  TinyRun again(folder.path(), &validator);
  std::vector<int64_t> updates_before_validation;
  validator.look = [&](model::Seq2Seq&) {
    updates_before_validation.push_back(static_cast<int64_t>(again.recorder.updates.size()));
  };
  Trainer trainer = again.trainer();
  trainer.resume();
  trainer.run();
  EXPECT_EQ(updates_before_validation.front(), 0) << "the interrupted validation comes first";
}

TEST(Trainer, AFinishedRunStaysFinished) {
  const TempDir folder;
  TinyRun first(folder.path());
  first.trainer().run();
  const auto lines = history(folder.path());
  TinyRun second(folder.path());
  Trainer trainer = second.trainer();
  trainer.resume();
  trainer.run();
  EXPECT_TRUE(second.recorder.updates.empty());
  EXPECT_EQ(history(folder.path()), lines);
}

}  // namespace
}  // namespace attend::train
