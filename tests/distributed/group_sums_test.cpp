// Sums and copies of a group: through Gloo or the store, as on the CPU, and as on GPUs.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <future>
#include <map>
#include <mutex>

#include "distributed/join.h"
#include "distributed/peer_error.h"
#include "tests/distributed/in_threads.h"

namespace attend::distributed {
namespace {

using testing::HasSubstr;

/// Results by rank.
class Results {
 public:
  void add(int64_t rank, torch::Tensor tensor) {
    const std::lock_guard lock(mutex_);
    tensors_[rank] = std::move(tensor);
  }
  [[nodiscard]] const torch::Tensor& of(int64_t rank) const { return tensors_.at(rank); }

 private:
  std::mutex mutex_;
  std::map<int64_t, torch::Tensor> tensors_;
};

/// Values of a process, drawn from its rank.
torch::Tensor values_of(const Group& group, int64_t size) {
  return at::randn(
      {size}, at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(7 + group.rank())));
}

struct Way {
  const char* name;
  std::unique_ptr<Group> (*join)(const Place& place);
};

class GroupSums : public testing::TestWithParam<Way> {
 protected:
  void run(int64_t processes, const std::function<void(Group&)>& task,
           std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    test::run_in_group(processes, task, {.timeout = timeout, .join = GetParam().join});
  }

  /// Sums `values` times (rank + 1), and the same plus 1, over three processes.
  void sum_of_three(const torch::Tensor& values, Wire wire, Results& results) {
    run(3, [&](Group& group) {
      const torch::Tensor own = values * static_cast<float>(group.rank() + 1);
      const torch::Tensor second = own + 1.0F;
      group.begin_sum(own, wire);
      group.begin_sum(second, wire);
      group.finish_sums();
      results.add(group.rank(), torch::cat({own, second}));
    });
  }

  /// The message of rank 0 when rank 1 takes no part in a sum.
  std::string said_of(
      const std::function<void(Group&)>& rank_1, std::chrono::milliseconds timeout,
      const std::function<void()>& when_said = [] {}) {
    std::string said;
    run(
        2,
        [&](Group& group) {
          if (group.rank() == 1) return rank_1(group);
          try {
            group.sum(torch::ones({4}));
          } catch (const PeerError& error) {
            said = error.what();
            EXPECT_TRUE(error.speaks());
          }
          when_said();
        },
        timeout);
    return said;
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, GroupSums,
                         testing::Values(Way{"cpu", join}, Way{"gpus", test::join_as_on_gpus}),
                         [](const auto& way) { return std::string(way.param.name); });

TEST_P(GroupSums, AreThoseInDoubleUpToRounding) {
  Results own;
  Results results;
  run(4, [&](Group& group) {
    const auto values = values_of(group, 100'003);
    own.add(group.rank(), values.clone());
    group.sum(values);
    results.add(group.rank(), values);
  });
  auto sum = torch::zeros({100'003}, torch::kFloat64);
  auto sizes = sum.clone();
  for (int64_t rank = 0; rank < 4; ++rank) {
    sum += own.of(rank);
    sizes += own.of(rank).abs();
  }
  const auto bound = 4.0 * std::ldexp(1.0, -24) * sizes;
  EXPECT_TRUE(((results.of(0) - sum).abs() <= bound).all().item<bool>());
  for (int64_t rank = 1; rank < 4; ++rank)
    EXPECT_TRUE(torch::equal(results.of(0), results.of(rank))) << rank;
}

TEST_P(GroupSums, AreTheSameBitsEverywhere) {
  const int64_t size = 2 * (1 << 20) + 17;
  Results results;
  run(3, [&](Group& group) {
    // 0.1, 0.2, 0.3, whose float sum depends on the order.
    const auto values = torch::full({size}, 0.1f * static_cast<float>(group.rank() + 1));
    group.sum(values);
    results.add(group.rank(), values);
  });
  EXPECT_TRUE(torch::allclose(results.of(0), torch::full({size}, 0.6f)));
  EXPECT_TRUE(torch::equal(results.of(0), results.of(1)));
  EXPECT_TRUE(torch::equal(results.of(0), results.of(2)));
}

TEST_P(GroupSums, RunSeveralAtATime) {
  const auto values = torch::arange(2500, torch::kFloat32);
  Results results;
  sum_of_three(values, Wire::full, results);
  const auto expected = torch::cat({6.0F * values, 6.0F * values + 3.0F});  // exact in float
  for (int64_t rank = 0; rank < 3; ++rank) EXPECT_TRUE(torch::equal(results.of(rank), expected));
}

TEST_P(GroupSums, AreTheSameBitsEverywhereInBf16) {
  const auto values = torch::linspace(-3.0F, 5.0F, 2 * (1 << 20) + 17);
  Results results;
  sum_of_three(values, Wire::bf16, results);
  EXPECT_TRUE(torch::equal(results.of(0), results.of(1)));
  EXPECT_TRUE(torch::equal(results.of(0), results.of(2)));
}

// Each addend and the sum are rounded to 8 bits, with a relative error of at most 2^-8.
TEST_P(GroupSums, RoundAddendsAndSumOnceInBf16) {
  const auto values = torch::linspace(-3.0F, 5.0F, 100'003);
  Results results;
  sum_of_three(values, Wire::bf16, results);
  const torch::Tensor sum = results.of(0).narrow(0, 0, values.numel());
  const torch::Tensor error = (sum.to(torch::kFloat64) - 6.0 * values.to(torch::kFloat64)).abs();
  const torch::Tensor bound = 12.0 * 1.005 / 256.0 * values.to(torch::kFloat64).abs();
  EXPECT_TRUE((error <= bound + 1e-30).all().item<bool>());
  EXPECT_GT(error.max().item<double>(), 0.01) << "the values were not sent in bf16";
}

TEST_P(GroupSums, KeepWhatIsNotFiniteInBf16) {
  const auto values = torch::tensor({INFINITY, std::nanf("0x3fffff"), 1.0F, -INFINITY});
  Results results;
  sum_of_three(values, Wire::bf16, results);
  const torch::Tensor sum = results.of(2);
  EXPECT_EQ(sum[0].item<float>(), INFINITY);
  EXPECT_TRUE(std::isnan(sum[1].item<float>()));
  EXPECT_EQ(sum[2].item<float>(), 6.0F);
  EXPECT_EQ(sum[3].item<float>(), -INFINITY);
}

TEST_P(GroupSums, CopyTheValuesOfTheFirst) {
  Results results;
  run(2, [&](Group& group) {
    const auto values = torch::full({3}, static_cast<double>(group.rank() + 7), torch::kFloat64);
    group.take_from_first(values);
    results.add(group.rank(), values);
  });
  EXPECT_TRUE(torch::equal(results.of(1), torch::full({3}, 7.0, torch::kFloat64)));
}

TEST_P(GroupSums, NameAnEndedProcessInsteadOfWaitingForIt) {
  const auto begin = std::chrono::steady_clock::now();
  // On the way of GPUs, only the process, which goes on here, shows at once that it has ended.
  const bool is_cpu = std::string(GetParam().name) == "cpu";
  const std::string said =
      said_of([](Group&) {}, std::chrono::seconds(is_cpu && has_fast_messages() ? 60 : 4));
  EXPECT_THAT(said, HasSubstr("rank 1 (host "));
  EXPECT_THAT(said, HasSubstr("no longer answers"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_P(GroupSums, NameAHangingProcessWithinTheTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  std::promise<void> named;
  const std::string said = said_of(
      [&](Group&) { static_cast<void>(named.get_future().wait_for(std::chrono::seconds(60))); },
      std::chrono::seconds(2), [&] { named.set_value(); });
  EXPECT_THAT(said, HasSubstr("rank 1 (host "));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST_P(GroupSums, SayWhyTheOtherFailed) {
  const std::string said = said_of([](Group& group) { group.report_failure("no memory left"); },
                                   std::chrono::seconds(60));
  EXPECT_THAT(said, HasSubstr("failed: no memory left"));
}

/// The sum of three processes in bf16, joined in this way.
torch::Tensor sum_in_bf16(const Way& way) {
  Results results;
  test::run_in_group(3,
                     [&](Group& group) {
                       const auto values = values_of(group, 1003);
                       group.begin_sum(values, Wire::bf16);
                       group.finish_sums();
                       results.add(group.rank(), values);
                     },
                     {.join = way.join});
  return results.of(0);
}

// The device computes with LibTorch's operations what GlooSums computes by itself.
TEST(GroupSumsInBf16, AreTheSameBitsOnBothWays) {
  if (!has_fast_messages()) GTEST_SKIP() << "this program has no Gloo";
  EXPECT_TRUE(
      torch::equal(sum_in_bf16({"cpu", join}), sum_in_bf16({"gpus", test::join_as_on_gpus})));
}

}  // namespace
}  // namespace attend::distributed
