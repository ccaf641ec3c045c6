// Updates that get too little memory (training.on_out_of_memory).
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <new>
#include <stdexcept>

#include "core/error.h"
#include "core/fault_point.h"
#include "data/batching.h"
#include "runtime/out_of_memory.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/trainer.h"
#include "train/update/updater.h"

namespace attend::train {
namespace {

using test::TempDir;
using test::TinyRun;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kOnce = "only=memory,fail=1-1";
constexpr const char* kTwice = "only=memory,fail=1-2";
constexpr const char* kAlways = "only=memory,fail=1";

/// Memory runs out after a backward pass, where the gradients are no longer zero.
class OutOfMemory : public testing::Test {
 protected:
  ~OutOfMemory() override { plan_faults(""); }

  /// Two updates of a model with dropout, the first under the faults of `plan`.
  std::vector<UpdateResult> updates(const char* plan, OnOutOfMemory policy) {
    TrainingOptions options = test::tiny_options();
    options.on_out_of_memory = policy;
    model_ = test::tiny_model(0.2);
    model_->train();
    const FlatParameters parameters(*model_);
    before_ = parameters.values().clone();
    const auto keep = [&] {
      values_ = parameters.values().clone();
      gradients_ = parameters.gradients().clone();
    };
    Updater updater(*model_, parameters, options);
    const std::vector<int64_t> first = {0, 1, 2, 3, 4};
    const std::vector<int64_t> second = {5, 6, 7};
    const auto corpus = test::copy_corpus(18);
    const std::vector<data::Batch> batches = {data::make_batch(*corpus, first),
                                              data::make_batch(*corpus, second)};
    plan_faults(plan);
    std::vector<UpdateResult> results;
    try {
      for (int64_t i = 0; i < 2; ++i) results.push_back(updater.update({batches, 0.1, i, 5}));
    } catch (...) {
      keep();
      throw;
    }
    keep();
    return results;
  }

  std::shared_ptr<model::Seq2Seq> model_;
  torch::Tensor before_, values_, gradients_;
};

TEST_F(OutOfMemory, IsRecognised) {
  EXPECT_TRUE(runtime::is_out_of_memory(std::bad_alloc()));
  const c10::SourceLocation here = {"", "", 0};
  EXPECT_TRUE(runtime::is_out_of_memory(
      c10::Error(here, "[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes")));
  EXPECT_TRUE(runtime::is_out_of_memory(
      c10::OutOfMemoryError(here, "CUDA out of memory. Tried to allocate 20.00 GiB (GPU 0)")));
  EXPECT_FALSE(runtime::is_out_of_memory(c10::Error(here, "sizes do not match")));
  EXPECT_FALSE(runtime::is_out_of_memory(std::runtime_error("out of memory, says a stranger")));
}

TEST_F(OutOfMemory, SplitsBatchesWithoutChangingTheGradient) {
  const auto whole = updates("", OnOutOfMemory::split);
  const torch::Tensor expected = values_;
  EXPECT_EQ(whole[0].parts, 1);
  const auto split = updates(kTwice, OnOutOfMemory::split);
  EXPECT_EQ(split[0].parts, 4);
  EXPECT_EQ(split[1].parts, 4) << "later updates keep the parts";
  for (const std::size_t i : {0, 1}) {
    EXPECT_NEAR(split[i].nll, whole[i].nll, 1e-4 * whole[i].nll);
    EXPECT_NEAR(split[i].gradient_norm, whole[i].gradient_norm, 1e-4 * whole[i].gradient_norm);
    EXPECT_EQ(split[i].target_tokens, whole[i].target_tokens);
  }
  EXPECT_TRUE(torch::allclose(values_, expected, 1e-4, 1e-5));
}

TEST_F(OutOfMemory, LeavesWeightsAndGradientsWhereItEndsTheRun) {
  EXPECT_THAT(
      [&] { updates(kOnce, OnOutOfMemory::stop); },
      ThrowsMessage<MemoryError>(AllOf(HasSubstr("out of memory. The batch was lines 1, 2, 3"),
                                       HasSubstr("training.on_out_of_memory: split"),
                                       HasSubstr("Reduce training.batch.size"))));
  EXPECT_TRUE(values_.equal(before_));
  EXPECT_EQ(gradients_.count_nonzero().item<int64_t>(), 0);
}

TEST_F(OutOfMemory, CannotSplitAPair) {
  EXPECT_THAT([&] { updates(kAlways, OnOutOfMemory::split); },
              ThrowsMessage<MemoryError>(
                  AllOf(HasSubstr("even for one pair at a time"), HasSubstr("data.max_length"))));
  EXPECT_TRUE(values_.equal(before_));
}

TEST_F(OutOfMemory, IsReportedOnceByARunThatGoesOn) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.options.on_out_of_memory = OnOutOfMemory::split;
  run.recorder.after_update = [](int64_t update) {
    if (update == 2) plan_faults(kOnce);
  };
  const RunSummary summary = run.trainer().run();
  ASSERT_EQ(run.recorder.splits.size(), 1U);
  EXPECT_EQ(run.recorder.splits[0].point.update, 3);
  EXPECT_EQ(run.recorder.splits[0].parts, 2);
  EXPECT_THAT(run.recorder.splits[0].batch, HasSubstr("of the training text"));
  EXPECT_GT(summary.point.update, 3);
}

TEST_F(OutOfMemory, SavesTheStateBeforeTheUpdate) {
  const TempDir folder;
  TinyRun run(folder.path());
  run.recorder.after_update = [](int64_t update) {
    if (update == 7) plan_faults(kOnce);
  };
  EXPECT_THAT([&] { run.trainer().run(); },
              ThrowsMessage<MemoryError>(AllOf(HasSubstr("update 8: out of memory"),
                                               HasSubstr("The state before it is saved"))));
  plan_faults("");
  const TempDir other;
  TinyRun whole(other.path());
  whole.trainer().run();
  TinyRun rest(folder.path());
  Trainer trainer = rest.trainer();
  EXPECT_EQ(trainer.resume().point.update, 7);
  trainer.run();
  EXPECT_TRUE(
      test::same_weights(folder.path() / "last.safetensors", other.path() / "last.safetensors"));
}

}  // namespace
}  // namespace attend::train
