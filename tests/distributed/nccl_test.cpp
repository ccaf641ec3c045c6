// Sums of tensors on GPUs. Skipped without a GPU or NCCL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "distributed/open_sums.h"
#include "tests/distributed/in_threads.h"

namespace attend::distributed {
namespace {

/// One process with one GPU, and as many as there are GPUs.
class Nccl : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    gpus_ = torch::cuda::is_available() ? static_cast<int64_t>(torch::cuda::device_count()) : 0;
    if (!has_nccl() || gpus_ == 0) GTEST_SKIP() << "no NCCL or no GPU here";
    if (!GetParam()) {
      gpus_ = 1;
    } else if (gpus_ == 1) {
      GTEST_SKIP() << "only one GPU here";
    }
  }

  void run(const std::function<void(Group&, torch::Device)>& task) const {
    const auto device = [](int64_t rank) {
      return torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(rank));
    };
    test::run_in_group(gpus_, [&](Group& group) { task(group, device(group.rank())); },
                       {.device = device});
  }

  [[nodiscard]] double sum_of_ranks() const {
    return static_cast<double>(gpus_ * (gpus_ + 1)) / 2.0;
  }

  int64_t gpus_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Gpus, Nccl, testing::Bool(),
                         [](const auto& all) { return all.param ? "all" : "one"; });

TEST_P(Nccl, SumsWhatTheGpuComputedJustBefore) {
  run([&](Group& group, torch::Device device) {
    auto values = torch::arange(3'000'001, torch::TensorOptions(device).dtype(torch::kFloat32));
    values.fmod_(1000.0);
    const auto expected = values * sum_of_ranks();
    for (int round = 0; round < 3; ++round) {
      const auto own = values * static_cast<double>(group.rank() + 1);
      const auto losses =
          torch::full({3}, 0.5, torch::TensorOptions(device).dtype(torch::kFloat64));
      group.begin_sum(own.narrow(0, 0, 1 << 20), Wire::full);
      group.begin_sum(own.narrow(0, 1 << 20, values.numel() - (1 << 20)), Wire::full);
      group.begin_sum(losses, Wire::full);
      group.finish_sums();
      EXPECT_TRUE(torch::equal(own, expected));
      EXPECT_EQ(losses[2].item<double>(), 0.5 * static_cast<double>(group.size()));
    }
  });
}

TEST_P(Nccl, RoundsSumsInBf16) {
  run([&](Group& group, torch::Device device) {
    const auto all =
        torch::linspace(-3.0, 5.0, 100'003, torch::TensorOptions(device).dtype(torch::kFloat32));
    const auto values = all * static_cast<double>(group.rank() + 1);
    group.begin_sum(values, Wire::bf16);
    group.finish_sums();
    const auto expected = sum_of_ranks() * all.to(torch::kFloat64);
    const auto error = (values.to(torch::kFloat64) - expected).abs();
    EXPECT_TRUE((error <= 2.02 / 256.0 * expected.abs() + 1e-30).all().item<bool>());
    EXPECT_GT(error.max().item<double>(), 0.001) << "the values were not sent in bf16";
  });
}

TEST_P(Nccl, CopiesFromTheFirst) {
  run([](Group& group, torch::Device device) {
    const auto values = torch::full({3, 2}, static_cast<double>(group.rank() + 7),
                                    torch::TensorOptions(device).dtype(torch::kFloat64));
    const auto here = torch::full({2}, static_cast<double>(group.rank() + 3));
    group.take_from_first(values.transpose(0, 1));
    group.take_from_first(here);
    EXPECT_TRUE((values == 7.0).all().item<bool>());
    EXPECT_TRUE((here == 3.0).all().item<bool>());
  });
}

}  // namespace
}  // namespace attend::distributed
