#include "train/together/shared_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "tests/distributed/in_threads.h"
#include "train/update/optimizer.h"

namespace attend::train {
namespace {

/// A module with more slices than processes; the last slice is short.
torch::nn::Linear some_module() {
  torch::nn::Linear module(400, 380);
  const torch::NoGradGuard no_grad;
  for (const torch::Tensor& parameter : module->parameters())
    parameter.copy_(torch::linspace(-1.0, 1.0, parameter.numel()).view(parameter.sizes()));
  return module;
}

/// Whole numbers: their sums are exact in any order.
torch::Tensor gradient_of(int64_t rank, int64_t update, const torch::Tensor& like) {
  return torch::arange(like.numel(), like.options()).remainder(7.0 + static_cast<double>(rank)) +
         static_cast<double>(update);
}

TrainingOptions with_optimizer(OptimizerKind kind) {
  TrainingOptions options;
  options.optimizer = kind;
  options.momentum = 0.9;
  return options;
}

constexpr int64_t kProcesses = 3;
constexpr int64_t kUpdates = 3;

/// The parameters that one process computes from the sum of all gradients.
torch::Tensor values_of_one(const TrainingOptions& options) {
  torch::nn::Linear module = some_module();
  const FlatParameters parameters(*module);
  const auto optimizer = make_optimizer(options, parameters.values());
  for (int64_t update = 1; update <= kUpdates; ++update) {
    for (int64_t rank = 0; rank < kProcesses; ++rank)
      torch::Tensor(parameters.gradients()) += gradient_of(rank, update, parameters.values());
    optimizer->apply({.values = parameters.values(),
                      .gradients = parameters.gradients(),
                      .update = update,
                      .learning_rate = 0.01,
                      .gradient_scale = 0.5});
  }
  return parameters.values().clone();
}

class SharedUpdateOf : public testing::TestWithParam<OptimizerKind> {};

TEST_P(SharedUpdateOf, ChangesParametersAsOneProcessWould) {
  if (!test::shows_memory_files()) GTEST_SKIP() << "this system does not share memory";
  const TrainingOptions options = with_optimizer(GetParam());
  const torch::Tensor expected = values_of_one(options);
  test::run_in_group(kProcesses, [&](distributed::Group& group) {
    torch::nn::Linear module = some_module();
    const SharedBuffers buffers = shared_buffers(options, torch::kCPU, &group);
    const FlatParameters parameters(*module, buffers.own);
    const auto optimizer = make_optimizer(options, parameters.values(), buffers.common);
    const auto joint = make_joint_update(parameters, options, group);
    for (int64_t update = 1; update <= kUpdates; ++update) {
      torch::Tensor(parameters.gradients()) +=
          gradient_of(group.rank(), update, parameters.values());
      std::vector<double> losses = {static_cast<double>(group.rank()), 1.0};
      joint->add_up(losses);
      EXPECT_THAT(losses, testing::ElementsAre(3.0, 3.0));
      const Part part = joint->part();
      EXPECT_EQ(joint->sum_over_parts(static_cast<double>(part.size)), parameters.values().numel());
      EXPECT_GT(part.size, 0) << "this process changes nothing";
      optimizer->apply({.values = part.of(parameters.values()),
                        .gradients = part.of(parameters.gradients()),
                        .update = update,
                        .learning_rate = 0.01,
                        .gradient_scale = 0.5,
                        .begin = part.begin});
      joint->share();
      EXPECT_EQ(parameters.gradients().abs().max().item<float>(), 0.0F);
    }
    EXPECT_TRUE(torch::equal(parameters.values(), expected)) << "in rank " << group.rank();
  });
}

INSTANTIATE_TEST_SUITE_P(Optimizers, SharedUpdateOf,
                         testing::ValuesIn(enum_values<OptimizerKind>()),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

// All processes see the statistics that one of them wrote.
TEST(SharedUpdate, HasTheStatisticsOnce) {
  if (!test::shows_memory_files()) GTEST_SKIP() << "this system does not share memory";
  const TrainingOptions options = with_optimizer(OptimizerKind::adam);
  test::run_in_group(2, [&](distributed::Group& group) {
    const torch::Tensor values = torch::zeros({100'000});
    const auto zeros = shared_buffers(options, torch::kCPU, &group).common;
    const auto optimizer = make_optimizer(options, values, zeros);
    if (group.rank() == 1)
      optimizer->apply({.values = values,
                        .gradients = torch::ones({100'000}),
                        .update = 1,
                        .learning_rate = 0.1,
                        .gradient_scale = 1.0});
    group.memory()->wait();
    EXPECT_GT(optimizer->state().at("adam.mean").min().item<float>(), 0.0F);
  });
}

}  // namespace
}  // namespace attend::train
