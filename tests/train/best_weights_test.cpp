#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/saving/snapshots.h"
#include "train/trainer.h"

namespace attend::train {
namespace {

using nlohmann::json;
using test::history;
using test::same_weights;
using test::ScriptedValidator;
using test::TempDir;
using test::TinyRun;

// Regression: BLEU was exactly 0 at every validation (one word per line), so the weights of the
// first validation remained the best and patience ended the run, although the loss fell all the
// time.
TEST(BestWeights, AreThoseOfTheLowestLossWhereTheScoreStaysZero) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.5, 2.0, 1.5, 1.0});
  validator.bleu = 0.0;
  TinyRun run(folder.path(), &validator);
  run.options.validation = {.metric = ValidationMetric::bleu, .beam = 1};
  run.options.max_epochs = 5;
  run.options.patience = 2;
  run.options.decay.patience = 1;
  const RunSummary summary = run.trainer().run();
  EXPECT_EQ(summary.reason, "max_epochs 5 reached");
  EXPECT_EQ(summary.best.update, 25);
  EXPECT_EQ(summary.best.cuts, 0);
  EXPECT_TRUE(same_weights(folder / "best.safetensors", folder / "last.safetensors"));
}

/// Trains from initial weights that are treated as those of another model.
TinyRun tuning_run(const TempDir& folder, Validator& validator) {
  TinyRun run(folder.path(), &validator);
  run.options.init_from = "elsewhere";
  return run;
}

std::map<std::string, torch::Tensor> copy_of_weights(const model::Seq2Seq& model) {
  auto weights = storage::weights_of(model);
  for (auto& [name, tensor] : weights) tensor = tensor.clone();
  return weights;
}

void expect_weights(const std::filesystem::path& file,
                    const std::map<std::string, torch::Tensor>& expected) {
  const auto found = storage::load_tensors(file).tensors;
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(torch::equal(found.at(name), tensor)) << name;
}

// Regression: if fine-tuning made a model worse, its first validation was kept as the best,
// although it was far below the start.
TEST(BestWeights, AreThoseOfTheStartWhereFineTuningMakesTheModelWorse) {
  const TempDir folder;
  ScriptedValidator validator({1.0, 3.0, 2.0, 2.5});
  TinyRun run = tuning_run(folder, validator);
  const auto start = copy_of_weights(*run.model);
  const RunSummary summary = run.trainer().run();
  EXPECT_EQ(summary.best.update, 0);
  EXPECT_EQ(summary.best.merit.score, -1.0);
  expect_weights(folder / "best.safetensors", start);
  const json first = history(folder.path()).front();
  EXPECT_EQ(first.value("type", ""), "validation");
  EXPECT_EQ(first.value("update", -1), 0);
  EXPECT_TRUE(first.value("best", false));
}

TEST(BestWeights, AreNotThoseOfTheStartOnceAValidationIsBetter) {
  const TempDir folder;
  ScriptedValidator validator({2.5, 3.0, 2.0, 2.5});
  const RunSummary summary = tuning_run(folder, validator).trainer().run();
  EXPECT_EQ(summary.best.update, 10);
  EXPECT_EQ(validator.calls, 4);
}

TEST(BestWeights, AreNotMeasuredAtTheStartOfARunFromRandomWeights) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5});
  TinyRun run(folder.path(), &validator);
  run.trainer().run();
  EXPECT_EQ(validator.calls, 3);
}

// The initial weights need no snapshot, since they are in the folder of their own model.
TEST(BestWeights, AreNoSnapshotAtTheStart) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5});
  TinyRun run = tuning_run(folder, validator);
  run.options.keep = {.last = 9, .best = 0};
  run.trainer().run();
  EXPECT_EQ(list_snapshots(folder.path()).front().update, 5);
}

// A signal or a kill arrives while the initial weights are validated. The state is written before
// the best weights, so that --resume never takes them for the weights of another run.
TEST(BestWeights, AreMeasuredAgainWhereAStopCameInBetween) {
  const TempDir folder;
  ScriptedValidator stopped({1.0});
  stopped.look = [&](model::Seq2Seq&) {
    EXPECT_TRUE(std::filesystem::exists(folder / "last.state"));
    throw Stopped(15, "stopped");
  };
  EXPECT_THROW(tuning_run(folder, stopped).trainer().run(), Stopped);
  ScriptedValidator validator({1.0, 3.0});
  TinyRun run = tuning_run(folder, validator);
  const auto start = copy_of_weights(*run.model);
  {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : run.model->parameters()) parameter.zero_();  // resume() restores it
  }
  Trainer trainer = run.trainer();
  EXPECT_EQ(trainer.resume().point.update, 0);
  EXPECT_EQ(trainer.run().best.update, 0);
  expect_weights(folder / "best.safetensors", start);
}

TEST(BestWeights, AreMeasuredOnceAtTheStartOfAResumedRun) {
  const TempDir folder;
  ScriptedValidator first({1.0, 3.0});
  TinyRun begun = tuning_run(folder, first);
  begun.options.max_updates = 1;
  begun.trainer().run();
  ScriptedValidator second({3.0});
  TinyRun run = tuning_run(folder, second);
  Trainer trainer = run.trainer();
  (void)trainer.resume();
  EXPECT_EQ(trainer.run().best.update, 0);
  EXPECT_EQ(history(folder.path()).front()["update"], 0);
}

}  // namespace
}  // namespace attend::train
