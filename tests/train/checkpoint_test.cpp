#include "train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::train {
namespace {

using test::TempDir;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Toy : torch::nn::Module {
  explicit Toy(int64_t size) : weight(register_parameter("w", torch::zeros({size}))) {}
  torch::Tensor weight;
};

RunState odd_state() {
  RunState state;
  state.update = 41;
  state.skipped = 2;
  state.skipped_in_a_row = 1;
  state.position = {3, 17};
  state.validated = 40;
  state.averaged = 39;
  state.target_tokens = 1'234'567'890'123;
  state.seconds = 0.1 + 0.2;  // not a short decimal
  state.history_lines = 12;
  state.best = {true, -1.0 / 3.0, 30, 4, 1, 2};
  state.interval = {5, 1, 60, 70, 123.456789012345678, 1e-300, 2.5};
  return state;
}

TEST(Checkpoint, GivesBackCountersAndTensorsBitForBit) {
  const TempDir folder;
  Toy toy(3);
  const FlatParameters parameters(toy);
  const StateTensors saved = {{"a", torch::tensor({1.0F / 3.0F, -0.0F})}, {"b", torch::ones({2})}};
  save_state(folder / "last.state", odd_state(), saved, parameters);
  const StateTensors loaded = {{"a", torch::zeros({2})}, {"b", torch::zeros({2})}};
  const RunState state = load_state(folder / "last.state", loaded, parameters);
  EXPECT_EQ(nlohmann::json(state), nlohmann::json(odd_state()));
  EXPECT_TRUE(torch::equal(loaded.at("a").view(torch::kInt32), saved.at("a").view(torch::kInt32)));
  EXPECT_TRUE(torch::equal(loaded.at("b"), saved.at("b")));
}

TEST(Checkpoint, RefusesTheStateOfAnotherModel) {
  const TempDir folder;
  Toy small(3);
  Toy large(4);
  save_state(folder / "last.state", {}, {}, FlatParameters(small));
  EXPECT_THAT(
      [&] { static_cast<void>(load_state(folder / "last.state", {}, FlatParameters(large))); },
      ThrowsMessage<ModelFileError>(HasSubstr("a model of another shape")));
}

TEST(Checkpoint, RefusesTheStateOfAnotherOptimizer) {
  const TempDir folder;
  Toy toy(3);
  const FlatParameters parameters(toy);
  save_state(folder / "last.state", {}, {{"sgd.velocity", torch::zeros({16})}}, parameters);
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            load_state(folder / "last.state", {{"adam.mean", torch::zeros({16})}}, parameters));
      },
      ThrowsMessage<ModelFileError>(HasSubstr("it has no adam.mean")));
}

}  // namespace
}  // namespace attend::train
