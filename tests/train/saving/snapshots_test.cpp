#include "train/saving/snapshots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.h"
#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"

namespace attend::train {
namespace {

using std::filesystem::path;
using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

path add_snapshot(const TempDir& folder, int64_t update, double score, float weight = 0.0F) {
  const path file = snapshot_path(folder.path(), update);
  storage::save_tensors(file,
                        {{{"w", torch::full({2, 3}, weight)}}, {{"score", std::to_string(score)}}});
  return file;
}

std::vector<int64_t> updates(const std::vector<Snapshot>& snapshots) {
  std::vector<int64_t> numbers;
  for (const Snapshot& snapshot : snapshots) numbers.push_back(snapshot.update);
  return numbers;
}

/// Updates 5, 10, ... with these scores.
void add_run(const TempDir& folder) {
  int64_t update = 0;
  for (const double score : {1.0, 4.0, 3.0, 4.0, 2.0}) add_snapshot(folder, update += 5, score);
}

TEST(Snapshots, AreListedByAgeAndOtherFilesAreNot) {
  const TempDir folder;
  add_run(folder);
  folder.write("best.safetensors", "");
  folder.write("update-.safetensors", "");
  folder.write("update-7.safetensors.tmp", "");
  EXPECT_THAT(updates(list_snapshots(folder.path())), ElementsAre(5, 10, 15, 20, 25));
}

TEST(Snapshots, TheLastAreTheLatest) {
  const TempDir folder;
  add_run(folder);
  const auto chosen = choose_snapshots(list_snapshots(folder.path()), {.last = 2, .best = 0});
  EXPECT_THAT(updates(chosen), ElementsAre(20, 25));
}

TEST(Snapshots, TheBestAreThoseOfTheHighestScoreAndOfEqualsTheEarlier) {
  const TempDir folder;
  add_run(folder);
  const auto all = list_snapshots(folder.path());
  EXPECT_THAT(updates(choose_snapshots(all, {.last = 0, .best = 1})), ElementsAre(10));
  EXPECT_THAT(updates(choose_snapshots(all, {.last = 0, .best = 3})), ElementsAre(10, 15, 20));
}

// Regression: if all snapshots had BLEU 0, the first ones were kept, whatever their loss.
TEST(Snapshots, TheBestOfEqualScoresAreThoseOfTheLowestLoss) {
  const TempDir folder;
  int64_t update = 0;
  for (const char* loss : {"3.5", "nan", "2.5", "3.0"}) {
    storage::save_tensors(snapshot_path(folder.path(), update += 5),
                          {{{"w", torch::ones({2})}}, {{"score", "0"}, {"loss", loss}}});
  }
  const auto all = list_snapshots(folder.path());
  EXPECT_THAT(updates(choose_snapshots(all, {.last = 0, .best = 2})), ElementsAre(15, 20));
}

TEST(Snapshots, NoneAreChosenByDefault) {
  const TempDir folder;
  add_run(folder);
  EXPECT_THAT(choose_snapshots(list_snapshots(folder.path()), {}), testing::IsEmpty());
}

TEST(Snapshots, PruningLeavesWhatIsKeptAndWhatIsAveraged) {
  const TempDir folder;
  add_run(folder);
  prune_snapshots(folder.path(), {.last = 1, .best = 0}, {.last = 0, .best = 2});
  EXPECT_THAT(updates(list_snapshots(folder.path())), ElementsAre(10, 20, 25));
}

// Regression: weights that a user had copied there stopped the removal, and the disk filled.
TEST(Snapshots, PruningLeavesFilesWithoutAScore) {
  const TempDir folder;
  add_run(folder);
  storage::save_tensors(snapshot_path(folder.path(), 3), {{{"w", torch::ones({2})}}, {}});
  folder.write("update-4.safetensors", "damaged");
  prune_snapshots(folder.path(), {.last = 1, .best = 0}, {});
  EXPECT_THAT(updates(usable_snapshots(folder.path())), ElementsAre(25));
  EXPECT_TRUE(exists(snapshot_path(folder.path(), 3)));
  EXPECT_TRUE(exists(folder.path() / "update-4.safetensors"));
  EXPECT_THROW((void)list_snapshots(folder.path()), ModelFileError);
}

TEST(Snapshots, LaterOnesCanBeRemoved) {
  const TempDir folder;
  add_run(folder);
  remove_snapshots_after(folder.path(), 15);
  EXPECT_THAT(updates(list_snapshots(folder.path())), ElementsAre(5, 10, 15));
}

TEST(AverageWeights, IsTheMeanOfEachWeight) {
  const TempDir folder;
  const std::vector<path> files = {add_snapshot(folder, 1, 0.0, 1.0F),
                                   add_snapshot(folder, 2, 0.0, 2.0F),
                                   add_snapshot(folder, 3, 0.0, 6.0F)};
  const auto average = average_weights(files);
  ASSERT_EQ(average.size(), 1U);
  EXPECT_EQ(average.at("w").scalar_type(), torch::kFloat32);
  EXPECT_TRUE(torch::equal(average.at("w"), torch::full({2, 3}, 3.0F)));
}

TEST(AverageWeights, NamesAFileOfAnotherShape) {
  const TempDir folder;
  const path other = folder / "other.safetensors";
  storage::save_tensors(other, {{{"w", torch::zeros({3, 2})}}, {}});
  const std::vector<path> files = {add_snapshot(folder, 1, 0.0), other};
  EXPECT_THAT([&] { static_cast<void>(average_weights(files)); },
              ThrowsMessage<ModelFileError>(
                  testing::AllOf(HasSubstr("other.safetensors"), HasSubstr("weight w"))));
}

TEST(AverageWeights, NamesAFileOfAnotherModel) {
  const TempDir folder;
  const path other = folder / "other.safetensors";
  storage::save_tensors(other, {{{"w", torch::zeros({2, 3})}, {"x", torch::zeros({1})}}, {}});
  const std::vector<path> files = {add_snapshot(folder, 1, 0.0), other};
  EXPECT_THAT([&] { static_cast<void>(average_weights(files)); },
              ThrowsMessage<ModelFileError>(HasSubstr("2 weights")));
}

}  // namespace
}  // namespace attend::train
