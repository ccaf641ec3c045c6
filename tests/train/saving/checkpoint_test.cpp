#include "train/saving/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/fault_point.h"
#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"

namespace attend::train {
namespace {

using test::TempDir;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct ToyModel : torch::nn::Module {
  explicit ToyModel(int64_t size) : weight(register_parameter("w", torch::zeros({size}))) {}
  torch::Tensor weight;
};

RunState odd_state() {
  RunState state;
  state.update = 41;
  state.skipped = 2;
  state.skipped_in_a_row = 1;
  state.position = {3, 17, 19};
  state.validated = 40;
  state.averaged = 39;
  state.target_tokens = 1'234'567'890'123;
  state.seconds = 0.1 + 0.2;  // not a short decimal
  state.history_lines = 12;
  state.best = {
      .any = true, .merit = {-1.0 / 3.0, 2.5}, .update = 30, .since = 4, .since_cut = 1, .cuts = 2};
  state.judged_by = "2 pairs";
  state.interval = {.updates = 5,
                    .skipped = 1,
                    .source_tokens = 60,
                    .target_tokens = 70,
                    .nll = 123.456789012345678,
                    .alignment = 1e-300,
                    .divergence = 2.5};
  return state;
}

TEST(Checkpoint, GivesBackCountersAndTensorsBitForBit) {
  const TempDir folder;
  ToyModel toy(3);
  const FlatParameters parameters(toy);
  const StateTensors saved = {{"a", torch::tensor({1.0F / 3.0F, -0.0F})}, {"b", torch::ones({2})}};
  save_state(folder / "last.state", odd_state(), saved, parameters);
  const StateTensors loaded = {{"a", torch::zeros({2})}, {"b", torch::zeros({2})}};
  const LoadedState state = load_state(folder / "last.state", loaded, parameters);
  EXPECT_EQ(nlohmann::json(state.state), nlohmann::json(odd_state()));
  EXPECT_EQ(state.damage, "");
  EXPECT_EQ(nlohmann::json(load_counters(folder / "last.state")), nlohmann::json(odd_state()));
  EXPECT_TRUE(torch::equal(loaded.at("a").view(torch::kInt32), saved.at("a").view(torch::kInt32)));
  EXPECT_TRUE(torch::equal(loaded.at("b"), saved.at("b")));
}

TEST(Checkpoint, TellsTheTextOfTheBestScoreFromAnother) {
  RunState state = odd_state();
  EXPECT_NO_THROW(state.check_judged_by("2 pairs"));
  EXPECT_NO_THROW(state.check_judged_by("")) << "nothing is validated";
  EXPECT_THAT([&] { state.check_judged_by("3 pairs"); },
              ThrowsMessage<DataError>(HasSubstr("3 pairs instead of 2 pairs")));
  state.judged_by = "";
  EXPECT_NO_THROW(state.check_judged_by("3 pairs")) << "a state from before it was written";
}

TEST(Checkpoint, RefusesTheStateOfAnotherModel) {
  const TempDir folder;
  ToyModel small(3);
  ToyModel large(4);
  save_state(folder / "last.state", {}, {}, FlatParameters(small));
  EXPECT_THAT(
      [&] { static_cast<void>(load_state(folder / "last.state", {}, FlatParameters(large))); },
      ThrowsMessage<ModelFileError>(HasSubstr("a model of another shape")));
}

TEST(Checkpoint, RefusesTheStateOfAnotherOptimizer) {
  const TempDir folder;
  ToyModel toy(3);
  const FlatParameters parameters(toy);
  save_state(folder / "last.state", {}, {{"sgd.velocity", torch::zeros({16})}}, parameters);
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            load_state(folder / "last.state", {{"adam.mean", torch::zeros({16})}}, parameters));
      },
      ThrowsMessage<ModelFileError>(HasSubstr("it has no matching adam.mean")));
}

/// A folder with two generations of a state: of update 1, then of update 2.
class Generations : public testing::Test {
 protected:
  Generations() {
    save(1);
    save(2);
  }
  ~Generations() override { plan_faults(""); }

  void save(int64_t update) {
    RunState state;
    state.update = update;
    save_state(last_, state, {}, parameters_);
  }
  LoadedState load() { return load_state(last_, {}, parameters_); }
  void damage(const std::filesystem::path& file, std::size_t length) const {
    std::filesystem::resize_file(file, length);
  }

  TempDir folder_;
  std::filesystem::path last_ = folder_ / "last.state";
  std::filesystem::path previous_ = folder_ / "previous.state";
  ToyModel toy_{3};
  FlatParameters parameters_{toy_};
};

TEST_F(Generations, GivesTheNewest) {
  EXPECT_EQ(load().state.update, 2);
}

TEST_F(Generations, GivesThePreviousOneWhereTheNewestIsDamaged) {
  const std::string whole = test::read_text(last_);
  std::string flipped = whole;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  for (const std::string& bytes :
       {std::string(), whole.substr(0, whole.size() / 2), flipped, std::string(100, 'x')}) {
    folder_.write("last.state", bytes);
    const LoadedState loaded = load();
    EXPECT_EQ(loaded.state.update, 1);
    EXPECT_THAT(loaded.damage, HasSubstr("last.state: ")) << bytes.size() << " bytes";
  }
}

TEST_F(Generations, GivesThePreviousOneWhereTheProcessDiedBetweenTheRenames) {
  std::filesystem::remove(last_);
  EXPECT_EQ(load().state.update, 1);
}

// A file that cannot be opened for the moment may be intact.
TEST_F(Generations, DoesNotTakeAStateThatCannotBeReadForADamagedOne) {
  const std::filesystem::path away = folder_ / "away";
  std::filesystem::rename(last_, away);
  std::filesystem::create_symlink("last.state", last_);  // ELOOP
  EXPECT_THAT([&] { static_cast<void>(load()); },
              ThrowsMessage<ModelFileError>(AllOf(HasSubstr("last.state: cannot read the file: "),
                                                  HasSubstr("previous.state"))));
  std::filesystem::remove(last_);
  std::filesystem::create_directory(last_);  // EISDIR
  EXPECT_THROW(static_cast<void>(load()), ModelFileError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "last.state.damaged"));
  std::filesystem::remove(last_);
  std::filesystem::rename(away, last_);
  EXPECT_EQ(load().state.update, 2);
}

// Otherwise the next save would replace the intact previous generation by it.
TEST_F(Generations, SetsADamagedFileAside) {
  damage(last_, 10);
  static_cast<void>(load());
  EXPECT_FALSE(std::filesystem::exists(last_));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "last.state.damaged"), 10U);
  save(3);
  EXPECT_EQ(load().state.update, 3);
  std::filesystem::remove(last_);
  EXPECT_EQ(load().state.update, 1);
}

TEST_F(Generations, NamesTheNewestWhereBothAreDamaged) {
  damage(last_, 10);
  damage(previous_, 10);
  EXPECT_THAT([&] { static_cast<void>(load()); },
              ThrowsMessage<ModelFileError>(HasSubstr("last.state: ")));
  EXPECT_TRUE(std::filesystem::exists(last_));
}

TEST_F(Generations, DoesNotGoBackBehindAnotherVersion) {
  std::string bytes = test::read_text(last_);
  const std::string version = R"("attend_format":"1")";
  bytes.replace(bytes.find(version), version.size(), R"("attend_format":"2")");
  folder_.write("last.state", bytes);
  EXPECT_THAT([&] { static_cast<void>(load()); },
              ThrowsMessage<ModelFileError>(HasSubstr("format version 2")));
}

TEST_F(Generations, RefusesWeightsInPlaceOfAState) {
  storage::save_tensors(last_, {{{"w", torch::zeros({3})}}, {{"update", "2"}}});
  EXPECT_THAT([&] { static_cast<void>(load()); },
              ThrowsMessage<ModelFileError>(HasSubstr("not the state of a run")));
}

TEST_F(Generations, RefusesCountersThatMakeNoSense) {
  save(-1);
  EXPECT_THAT([&] { static_cast<void>(load()); },
              ThrowsMessage<ModelFileError>(HasSubstr("negative")));
}

TEST_F(Generations, StayWhereTheyAreIfTheNextOneCannotBeWritten) {
  plan_faults("fail=1,only=rename last.state");
  EXPECT_THROW(save(3), DataError);
  EXPECT_EQ(load().state.update, 2);
}

}  // namespace
}  // namespace attend::train
