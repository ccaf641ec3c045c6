#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/signal.h"
#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/saving/snapshots.h"

namespace attend::train {
namespace {

using nlohmann::json;
using test::CorpusLossValidator;
using test::history;
using test::same_weights;
using test::ScriptedValidator;
using test::TempDir;
using test::TinyRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// 17 pairs in batches of 4 are 5 updates an epoch, however large the first batch is.
TEST(Trainer, LearnsToCopy) {
  const TempDir folder;
  TinyRun run(folder.path());
  CorpusLossValidator validator(run.corpus);
  run.validator = &validator;
  run.options.max_epochs = 50;
  run.options.patience = 0;
  run.options.schedule = ScheduleKind::constant;
  run.options.learning_rate = 0.03;
  run.options.label_smoothing = 0.0;
  run.trainer().run();
  EXPECT_GT(run.recorder.validations.front().result.loss, 2.0);
  EXPECT_LT(run.recorder.validations.back().result.loss, 0.8);
}

TEST(Trainer, ReportsUpdatesIntervalsAndValidations) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5});
  TinyRun run(folder.path(), &validator);
  const RunSummary summary = run.trainer().run();
  EXPECT_EQ(summary.reason, "max_epochs 3 reached");
  EXPECT_EQ(run.recorder.updates.size(), 15U);
  EXPECT_EQ(run.recorder.intervals.size(), 5U);
  ASSERT_EQ(run.recorder.validations.size(), 3U);
  EXPECT_TRUE(run.recorder.validations[1].best);
  EXPECT_FALSE(run.recorder.validations[2].best);
  EXPECT_EQ(summary.best.update, 10);
}

TEST(Trainer, LogsTheMeanLossOfEachInterval) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.trainer().run();
  double nll = 0.0;
  double tokens = 0.0;
  for (std::size_t i = 3; i < 6; ++i) {
    const auto& update = run.recorder.updates[i];
    nll += update.loss * static_cast<double>(update.target_tokens);
    tokens += static_cast<double>(update.target_tokens);
  }
  const json line = history(folder.path())[1];
  EXPECT_EQ(line["type"], "train");
  EXPECT_EQ(line["update"], 6);
  EXPECT_NEAR(line["loss"].get<double>(), nll / tokens, 1e-12);
  EXPECT_EQ(line["target_tokens"], tokens);
}

TEST(Trainer, WritesTheHistoryInOrder) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0});
  TinyRun run(folder.path(), &validator);
  run.options.max_epochs = 2;
  run.trainer().run();
  std::vector<std::string> lines;
  for (const json& line : history(folder.path())) {
    lines.push_back(line["type"].get<std::string>() + " " + line["update"].dump());
  }
  EXPECT_THAT(lines, ElementsAre("train 3", "validation 5", "train 6", "train 9", "validation 10"));
}

TEST(Trainer, StopsWhenPatienceRunsOut) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5, 2.4, 2.3});
  TinyRun run(folder.path(), &validator);
  run.options.max_epochs = 0;
  run.options.patience = 2;
  const RunSummary summary = run.trainer().run();
  EXPECT_EQ(summary.reason, "no new best in 2 validations");
  EXPECT_EQ(summary.point.update, 20);
  EXPECT_EQ(summary.best.merit.score, -2.0);
}

TEST(Trainer, CutsTheRateOnAPlateau) {
  const TempDir folder;
  ScriptedValidator validator({2.0, 2.5});
  TinyRun run(folder.path(), &validator);
  run.options.max_epochs = 4;
  run.options.log_every = 5;
  run.options.decay = {.factor = 0.1, .patience = 1};
  run.trainer().run();
  std::vector<double> rates;
  for (const IntervalReport& interval : run.recorder.intervals)
    rates.push_back(interval.learning_rate);
  ASSERT_EQ(rates.size(), 4U);
  EXPECT_DOUBLE_EQ(rates[1], 0.01);
  EXPECT_DOUBLE_EQ(rates[2], 0.001) << "the second validation was no better than the first";
  EXPECT_DOUBLE_EQ(rates[3], 0.0001);
}

TEST(Trainer, ValidatesOnceMoreWhereItStopsInBetween) {
  const TempDir folder;
  ScriptedValidator validator({3.0});
  TinyRun run(folder.path(), &validator);
  run.options.max_updates = 7;
  run.trainer().run();
  ASSERT_EQ(run.recorder.validations.size(), 2U);
  EXPECT_EQ(run.recorder.validations[1].point.update, 7);
}

TEST(Trainer, StopsAfterMaxMinutes) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.max_epochs = 0;
  run.options.max_minutes = 0.5;  // 30 readings of the test's clock, at least two for each update
  const RunSummary summary = run.trainer().run();
  EXPECT_EQ(summary.reason, "max_minutes 0.5 reached");
  EXPECT_LE(summary.point.update, 15);
  EXPECT_GE(summary.point.update, 10);
}

TEST(Trainer, LowersTheRateOfACycleAsItsMinutesPass) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.schedule = ScheduleKind::one_cycle;
  run.options.max_epochs = 0;
  run.options.max_minutes = 2.0;
  run.trainer().run();
  const std::vector<IntervalReport>& intervals = run.recorder.intervals;
  ASSERT_GE(intervals.size(), 5U);
  for (std::size_t i = 1; i < intervals.size(); ++i)
    EXPECT_LT(intervals[i].learning_rate, intervals[i - 1].learning_rate) << i;
  EXPECT_GT(intervals.front().learning_rate, 0.9 * run.options.learning_rate);
  EXPECT_LT(intervals.back().learning_rate, 0.1 * run.options.learning_rate);
}

// One pair and constant weights: only dropout can make losses differ.
TEST(Trainer, DrawsOtherDropoutMasksForEveryUpdate) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.corpus = test::copy_corpus(1);
  run.options.learning_rate = 1e-30;
  run.trainer().run();
  ASSERT_EQ(run.recorder.updates.size(), 3U);
  EXPECT_NE(run.recorder.updates[0].loss, run.recorder.updates[1].loss);
  EXPECT_NE(run.recorder.updates[1].loss, run.recorder.updates[2].loss);
}

// While the gradient hardly changes, bias correction makes every step of Adam as large as the rate.
TEST(Trainer, NumbersTheUpdatesForBiasCorrection) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.corpus = test::copy_corpus(1);
  run.model = test::tiny_model(/*dropout=*/0.0);
  run.options.learning_rate = 1e-5;
  run.options.max_epochs = 20;
  std::vector<torch::Tensor> before;
  for (const auto& parameter : run.model->parameters())
    before.push_back(parameter.detach().clone());
  run.trainer().run();
  double longest = 0.0;
  const auto after = run.model->parameters();
  for (std::size_t i = 0; i < after.size(); ++i) {
    longest = std::max(longest, (after[i] - before[i]).abs().max().item<double>());
  }
  EXPECT_NEAR(longest, 20 * 1e-5, 2e-5);
}

TEST(Trainer, SumsUpdatesOverAccumulatedBatches) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.accumulate = 2;
  run.options.max_epochs = 1;
  EXPECT_EQ(run.trainer().run().point.update, 3);  // 2 + 2 + 1 batches
}

TEST(Trainer, TheBestFileHoldsTheBestWeightsAndTheLastFileTheLast) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5});
  TinyRun run(folder.path(), &validator);
  std::vector<torch::Tensor> seen;
  validator.look = [&](model::Seq2Seq& model) {
    seen.push_back(storage::weights_of(model).begin()->second.clone());
  };
  run.trainer().run();
  const auto first_weight = [&](const char* file) {
    return storage::load_tensors(folder / file).tensors.begin()->second;
  };
  EXPECT_TRUE(torch::equal(first_weight("best.safetensors"), seen[1]));
  EXPECT_TRUE(torch::equal(first_weight("last.safetensors"), seen[2]));
}

TEST(Trainer, WithoutDevelopmentTextTheLastWeightsAreTheBest) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.trainer().run();
  EXPECT_TRUE(same_weights(folder / "best.safetensors", folder / "last.safetensors"));
}

TEST(Trainer, LeavesOutNonFiniteUpdatesAndGoesOn) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.optimizer = OptimizerKind::sgd;
  run.options.skip_non_finite = 2;
  const auto weight = run.model->parameters().front();
  const torch::Tensor good = weight.detach().clone();
  // Weights become NaN after the 4th and the 9th update, and are restored after two skipped
  // updates.
  run.recorder.after_update = [&](int64_t update) {
    const torch::NoGradGuard no_grad;
    if (update == 4 || update == 9) weight.fill_(std::numeric_limits<float>::infinity());
  };
  struct Mending final : TrainObserver {
    void on_skip(const SkipReport& report) override {
      const torch::NoGradGuard no_grad;
      if (report.in_a_row == 2) target.copy_(source);
    }
    torch::Tensor target;
    torch::Tensor source;
  } mending;
  mending.target = weight;
  mending.source = good;
  ObserverList both({&run.recorder, &mending});
  Trainer trainer({.model = *run.model,
                   .corpus = run.corpus,
                   .validator = nullptr,
                   .observer = both,
                   .files = test::files_in(folder.path()),
                   .clock = [] { return 0.0; }},
                  run.options, 3);
  EXPECT_EQ(trainer.run().point.update, 15);
  EXPECT_EQ(run.recorder.skips.size(), 4U);
  EXPECT_EQ(history(folder.path())[1]["skipped_updates"], 2);
}

void fill(model::Seq2Seq& model, float value) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.parameters()) parameter.fill_(value);
}

TEST(Trainer, GivesUpAfterTooManyNonFiniteUpdatesInARow) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.skip_non_finite = 2;
  run.recorder.after_update = [&](int64_t update) {
    if (update == 2) fill(*run.model, std::numeric_limits<float>::quiet_NaN());
  };
  EXPECT_THAT([&] { run.trainer().run(); }, ThrowsMessage<NumericError>(testing::AllOf(
                                                HasSubstr("update 5"), HasSubstr("lines"))));
  EXPECT_EQ(run.recorder.skips.size(), 3U);
}

TEST(Trainer, EndsAtOnceWhereTheWeightsAreSpoiltBeforeThereIsACheckpoint) {
  const TempDir folder;
  TinyRun run(folder.path());
  fill(*run.model, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<NumericError>(testing::AllOf(
                  HasSubstr("update 1: the weights are not finite, so nothing was saved"),
                  testing::Not(HasSubstr("checkpoint")))));
  EXPECT_FALSE(std::filesystem::exists(folder / "last.state"));
}

/// The update from which the run in `folder` would resume.
int64_t saved_update(const TempDir& folder) {
  TinyRun run(folder.path());
  Trainer trainer = run.trainer();
  return trainer.resume().point.update;
}

// All weights become the largest finite number; their products are infinite.
TEST(Trainer, SavesTheStateBeforeTheUpdateItGivesUpAt) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.skip_non_finite = 0;
  run.recorder.after_update = [&](int64_t update) {
    if (update == 7) fill(*run.model, std::numeric_limits<float>::max());
  };
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<NumericError>(
                  testing::AllOf(HasSubstr("update 8"), HasSubstr("lines"), HasSubstr("pieces"),
                                 HasSubstr("The state before it is saved"))));
  EXPECT_EQ(saved_update(folder), 7);
}

TEST(Trainer, SavesTheBeginningWhereItGivesUpAtTheFirstUpdate) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.skip_non_finite = 0;
  fill(*run.model, std::numeric_limits<float>::max());
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<NumericError>(testing::AllOf(
                  HasSubstr("update 1"), HasSubstr("The state before it is saved"))));
  EXPECT_EQ(saved_update(folder), 0);
}

TEST(Trainer, KeepsTheCheckpointWhereTheWeightsAreSpoilt) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.skip_non_finite = 2;
  run.options.save_every.updates = 1;
  run.recorder.after_update = [&](int64_t update) {
    if (update == 8) fill(*run.model, std::numeric_limits<float>::quiet_NaN());
  };
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<NumericError>(HasSubstr("the last checkpoint was kept")));
  EXPECT_EQ(saved_update(folder), 7);
  EXPECT_THAT(
      run.recorder.save_errors.front().message,
      testing::AllOf(HasSubstr("no longer finite"), testing::Not(HasSubstr("on_save_error"))));
}

// Regression: the exit code was 0, although the last weights were not in the folder.
TEST(Trainer, EndsWithAnErrorWhereTheLastWeightsAreNotFinite) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.max_updates = 8;
  run.options.on_save_error = OnSaveError::stop;
  run.recorder.after_update = [&](int64_t update) {
    if (update == 8) fill(*run.model, std::numeric_limits<float>::quiet_NaN());
  };
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<NumericError>(testing::AllOf(
                  HasSubstr("update 8: the run ended with weights that are not finite"),
                  HasSubstr("the last checkpoint was kept"))));
  EXPECT_EQ(saved_update(folder), 5);
}

bool is_finite(const std::filesystem::path& weights) {
  for (const auto& [name, tensor] : storage::load_tensors(weights).tensors) {
    if (!tensor.isfinite().all().item<bool>()) return false;
  }
  return true;
}

/// A run whose weights become NaN at update 8, with validations after 5 and 10, that ends at 11.
void run_until_non_finite(TinyRun& run) {
  run.options.skip_non_finite = 2;
  run.options.keep.last = 1;
  run.recorder.after_update = [&](int64_t update) {
    if (update == 8) fill(*run.model, std::numeric_limits<float>::quiet_NaN());
  };
  EXPECT_THROW(run.trainer().run(), NumericError);
}

TEST(Trainer, SpoiltWeightsAreNotTheBestWithoutDevelopmentText) {
  const TempDir folder;
  TinyRun run(folder.path());
  run_until_non_finite(run);
  EXPECT_TRUE(is_finite(folder / "best.safetensors"));
}

TEST(Trainer, SpoiltWeightsReplaceNeitherTheBestNorASnapshot) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0});
  TinyRun run(folder.path(), &validator);
  run_until_non_finite(run);
  EXPECT_TRUE(is_finite(folder / "best.safetensors"));
  ASSERT_TRUE(std::filesystem::exists(snapshot_path(folder.path(), 5)));
  EXPECT_TRUE(is_finite(snapshot_path(folder.path(), 5)));
  EXPECT_FALSE(std::filesystem::exists(snapshot_path(folder.path(), 10)));
}

}  // namespace
}  // namespace attend::train
