#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/saving/snapshots.h"
#include "train/trainer.h"

namespace attend::train {
namespace {

using test::same_weights;
using test::ScriptedValidator;
using test::TempDir;
using test::TinyRun;

TEST(Averaging, MakesTheAverageBestWhereItIsBetter) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5, 1.5});  // the fourth is for the average
  TinyRun run(folder.path(), &validator);
  run.options.average = {.last = 2, .best = 0};
  const RunSummary summary = run.trainer().run();
  const std::vector<std::filesystem::path> files = {snapshot_path(folder.path(), 10),
                                                    snapshot_path(folder.path(), 15)};
  const auto expected = average_weights(files);
  const auto best = storage::load_tensors(folder / "best.safetensors").tensors;
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(torch::equal(best.at(name), tensor)) << name;
  EXPECT_EQ(summary.best.merit.score, -1.5);
  EXPECT_EQ(summary.best.update, 15)
      << "the average's update, not that of the best weights before it";
  EXPECT_EQ(run.recorder.validations.back().averaged_snapshots, 2);
}

TEST(Averaging, WorksInAFolderWhoseNameIsNotUtf8) {
  const TempDir parent;
  const std::filesystem::path folder = parent / "run\xff";
  std::filesystem::create_directory(folder);
  ScriptedValidator validator({3.0, 2.0, 2.5, 1.5});
  TinyRun run(folder, &validator);
  run.options.average = {.last = 2, .best = 0};
  EXPECT_EQ(run.trainer().run().best.merit.score, -1.5);
}

// Regression: a run without averaging ended with exit code 3, because a user had copied a file to
// the name of a snapshot.
TEST(Averaging, LooksAtNoSnapshotWhereNoneIsAskedFor) {
  const TempDir folder;
  ScriptedValidator validator({3.0});
  TinyRun run(folder.path(), &validator);
  run.recorder.after_update = [&](int64_t) {
    if (!std::filesystem::exists(folder / "last.safetensors")) return;
    std::filesystem::copy_file(folder / "last.safetensors", snapshot_path(folder.path(), 5),
                               std::filesystem::copy_options::overwrite_existing);
  };
  EXPECT_EQ(run.trainer().run().point.update, 15);
}

// Regression: if BLEU was always 0, no average was ever better.
TEST(Averaging, MakesTheAverageBestWhereTheScoresAreEqualAndItsLossIsLower) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5, 1.5});
  validator.bleu = 0.0;
  TinyRun run(folder.path(), &validator);
  run.options.validation = {.metric = ValidationMetric::bleu, .beam = 1};
  run.options.average = {.last = 2, .best = 0};
  const RunSummary summary = run.trainer().run();
  EXPECT_EQ(summary.best.merit.loss, 1.5);
  EXPECT_TRUE(run.recorder.validations.back().best);
}

TEST(Averaging, LeavesTheBestWeightsWhereTheAverageIsWorse) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5, 2.1});
  TinyRun run(folder.path(), &validator);
  run.options.average = {.last = 0, .best = 2};
  run.trainer().run();
  EXPECT_TRUE(same_weights(folder / "best.safetensors", snapshot_path(folder.path(), 10)));
  EXPECT_FALSE(run.recorder.validations.back().best);
}

TEST(Averaging, IsNotRepeatedWhereAFinishedRunIsResumed) {
  const TempDir folder;
  ScriptedValidator validator({3.0, 2.0, 2.5, 1.5});
  for (const bool resume : {false, true}) {
    TinyRun run(folder.path(), &validator);
    run.options.average = {.last = 2, .best = 0};
    Trainer trainer = run.trainer();
    if (resume) trainer.resume();
    trainer.run();
  }
  EXPECT_EQ(validator.calls, 4);
}

TEST(Averaging, DoesNotChangeTheWeightsOfTraining) {
  const TempDir folder;
  const TempDir plain;
  ScriptedValidator validator({3.0, 2.0, 2.5, 1.5});
  TinyRun run(folder.path(), &validator);
  run.options.average = {.last = 2, .best = 0};
  run.trainer().run();
  TinyRun other(plain.path(), &validator);
  other.trainer().run();
  EXPECT_TRUE(same_weights(folder / "last.safetensors", plain / "last.safetensors"));
}

TEST(MovingAverageRun, ValidatesAndSavesTheAverage) {
  const TempDir folder;
  ScriptedValidator validator({3.0});
  TinyRun run(folder.path(), &validator);
  run.options.ema = 0.5;
  run.options.max_updates = 1;
  const torch::Tensor start = storage::weights_of(*run.model).begin()->second.clone();
  torch::Tensor validated;
  validator.look = [&](model::Seq2Seq& model) {
    validated = storage::weights_of(model).begin()->second.clone();
  };
  run.trainer().run();
  const torch::Tensor trained = storage::weights_of(*run.model).begin()->second;
  // d = min(0.5, 2 / 11) after the first update.
  const torch::Tensor expected = start * (2.0 / 11) + trained * (9.0 / 11);
  EXPECT_FALSE(torch::equal(trained, validated));
  EXPECT_TRUE(torch::allclose(validated, expected, 1e-5, 1e-7));
  EXPECT_TRUE(torch::equal(
      storage::load_tensors(folder / "best.safetensors").tensors.begin()->second, validated));
}

TEST(MovingAverageRun, DoesNotChangeTheWeightsOfTraining) {
  const TempDir folder;
  TinyRun with(folder.path());
  with.options.ema = 0.5;
  with.trainer().run();
  TinyRun without(folder.path());
  without.trainer().run();
  const auto expected = storage::weights_of(*without.model);
  for (const auto& [name, tensor] : storage::weights_of(*with.model)) {
    EXPECT_TRUE(torch::equal(tensor, expected.at(name))) << name;
  }
}

}  // namespace
}  // namespace attend::train
