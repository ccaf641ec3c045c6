// An update as a GPU computes it, on tensors of the CPU (nn::Execution::device_path) or on a GPU
// with ATTEND_TEST_DEVICE=cuda: the same as the CPU's, and without waiting for results.
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "data/batching.h"
#include "nn/execution.h"
#include "tests/support/tensors.h"
#include "tests/support/tested_device.h"
#include "tests/train/tiny_run.h"
#include "train/update/updater.h"

namespace attend::train {
namespace {

using test::TensorNear;

constexpr bool kDecidesOnDevice = TORCH_VERSION_MAJOR > 2 ||
                                  (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4);

data::Batch pairs_between(int64_t first, int64_t last) {
  std::vector<int64_t> pairs(static_cast<std::size_t>(last - first));
  std::iota(pairs.begin(), pairs.end(), first);
  return data::make_batch(*test::copy_corpus(18), pairs);
}

std::shared_ptr<model::Seq2Seq> without_dropout(bool transformer) {
  auto model = transformer ? test::tiny_transformer() : test::tiny_model(0.0);
  if (transformer) model->eval();
  model->to(torch::kFloat64);
  return model;
}

/// Three updates of two batches each on `device`, the second with values that are not finite.
struct Updates {
  Updates(std::shared_ptr<model::Seq2Seq> the_model, const TrainingOptions& options,
          torch::Device device, bool device_path)
      : model(std::move(the_model)) {
    model->to(device);
    FlatParameters parameters(*model);
    Updater updater(*model, parameters, options);
    const nn::ExecutionScope scope(nn::Execution{.device_path = device_path});
    int64_t applied = 0;
    for (int64_t i = 0; i < 3; ++i) {
      const torch::Tensor kept = parameters.values().clone();
      if (i == 1) parameters.values().fill_(std::numeric_limits<double>::quiet_NaN());
      const std::vector<data::Batch> batches{
          sent(pairs_between(5 * i, 5 * i + 3), device_path),
          sent(pairs_between(5 * i + 3, 5 * i + 7), device_path)};
      results.push_back(updater.update({batches, 0.1, applied, 5}));
      if (i == 1) parameters.values().copy_(kept);
      if (results.back().applied) ++applied;
    }
    values = parameters.values().to(torch::kCPU);
    gradients = parameters.gradients().to(torch::kCPU);
  }

  static data::Batch sent(const data::Batch& batch, bool device_path) {
    return device_path ? batch.sent_to(torch::kCPU) : batch;
  }

  std::shared_ptr<model::Seq2Seq> model;
  std::vector<UpdateResult> results;
  torch::Tensor values, gradients;
};

TEST(DeviceUpdate, IsTheUpdateOfTheCpu) {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}) {
    for (const bool transformer : {false, true}) {
      TrainingOptions options = test::tiny_options();
      options.optimizer = kind;
      options.weight_decay = 0.01;
      options.label_smoothing = 0.1;
      options.clip_norm = 0.05;
      const torch::Device device = attend::test::tested_device();
      const Updates usual(without_dropout(transformer), options, torch::kCPU, false);
      const Updates here(without_dropout(transformer), options, device, device.is_cpu());
      for (std::size_t i = 0; i < usual.results.size(); ++i) {
        EXPECT_EQ(here.results[i].applied, i != 1);
        EXPECT_EQ(usual.results[i].applied, i != 1);
        if (i == 1) continue;
        EXPECT_NEAR(here.results[i].nll, usual.results[i].nll, 1e-10 * usual.results[i].nll);
        EXPECT_NEAR(here.results[i].gradient_norm, usual.results[i].gradient_norm, 1e-12);
      }
      EXPECT_THAT(here.values, TensorNear(usual.values, 1e-10)) << static_cast<int>(kind);
      EXPECT_EQ(here.gradients.abs().max().item<double>(), 0.0);
    }
  }
}

/// Counts the operations of this thread that wait for results on a GPU, except those inside
/// LibTorch's Adam, whose form for the CPU reads the number of the update.
class Waits {
 public:
  Waits() {
    names().clear();
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&begin, &end).scopes({at::RecordScope::FUNCTION}));
  }
  ~Waits() { at::removeCallback(handle_); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  [[nodiscard]] static std::multiset<std::string>& names() {
    static thread_local std::multiset<std::string> names;
    return names;
  }

 private:
  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    static const std::set<std::string> kWaiting{
        "aten::_local_scalar_dense", "aten::nonzero",   "aten::_unique2",
        "aten::masked_select",       "aten::equal",     "aten::unique_consecutive",
        "aten::is_nonzero",          "aten::unique_dim"};
    if (is_adam(function)) ++inside();
    if (inside() == 0 && kWaiting.count(function.name()) > 0) names().insert(function.name());
    return nullptr;
  }
  static void end(const at::RecordFunction& function, at::ObserverContext*) {
    if (is_adam(function)) --inside();
  }
  static bool is_adam(const at::RecordFunction& function) {
    const std::string name = function.name();
    return name == "aten::_fused_adam_" || name == "aten::_fused_adamw_";
  }
  static int& inside() {
    static thread_local int depth = 0;
    return depth;
  }

  at::CallbackHandle handle_ = {};
};

TEST(DeviceUpdate, WaitsForNothing) {
  for (const bool transformer : {false, true}) {
    const auto model = transformer ? test::tiny_transformer() : test::tiny_model(0.0);
    FlatParameters parameters(*model);
    TrainingOptions options = test::tiny_options();
    options.label_smoothing = 0.1;
    Updater updater(*model, parameters, options);
    const data::Batch batch = pairs_between(0, 7).sent_to(torch::kCPU);
    const nn::ExecutionScope scope(nn::Execution{.device_path = true});
    const Waits waits;
    const UpdateResult result = updater.update({std::vector{batch}, 0.1, 0, 5});
    EXPECT_TRUE(result.applied);
    if (kDecidesOnDevice) {
      EXPECT_THAT(Waits::names(), testing::IsEmpty());
    } else {  // the losses and the norm
      EXPECT_THAT(Waits::names(), testing::Each("aten::_local_scalar_dense"));
      EXPECT_LE(Waits::names().size(), 2U);
    }
  }
}

TEST(Waits, AreSeen) {
  const Waits waits;
  EXPECT_EQ(torch::ones({3}).sum().item<double>(), 3.0);
  EXPECT_THAT(Waits::names(), testing::ElementsAre("aten::_local_scalar_dense"));
}

}  // namespace
}  // namespace attend::train
