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
#include "distributed/shared_memory.h"
#include "tests/distributed/in_threads.h"

namespace attend::distributed {
namespace {

using testing::ElementsAre;
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

TEST(Group, SumsOverSeveralBucketsToTheSameBitsEverywhere) {
  const int64_t size = 2 * (1 << 20) + 17;
  Results results;
  test::run_in_group(3, [&](Group& group) {
    // 0.1, 0.2, 0.3, whose float sum depends on the order.
    const auto values = torch::full({size}, 0.1f * static_cast<float>(group.rank() + 1));
    group.sum(values);
    results.add(group.rank(), values);
  });
  EXPECT_TRUE(torch::allclose(results.of(0), torch::full({size}, 0.6f)));
  EXPECT_TRUE(torch::equal(results.of(0), results.of(1)));
  EXPECT_TRUE(torch::equal(results.of(0), results.of(2)));
}

/// Sums `values` times (rank + 1), and the same plus 1, over three processes.
void sum_of_three(const torch::Tensor& values, Wire wire, Results& results) {
  test::run_in_group(3, [&](Group& group) {
    const torch::Tensor own = values * static_cast<float>(group.rank() + 1);
    const torch::Tensor second = own + 1.0F;
    group.begin_sum(own, wire);
    group.begin_sum(second, wire);
    group.finish_sums();
    results.add(group.rank(), torch::cat({own, second}));
  });
}

TEST(Group, MakesSeveralSumsAtATime) {
  const auto values = torch::arange(2500, torch::kFloat32);
  Results results;
  sum_of_three(values, Wire::full, results);
  const auto expected = torch::cat({6.0F * values, 6.0F * values + 3.0F});  // exact in float
  for (int64_t rank = 0; rank < 3; ++rank) EXPECT_TRUE(torch::equal(results.of(rank), expected));
}

TEST(Group, SumsTheSameBitsEverywhereInBf16) {
  const auto values = torch::linspace(-3.0F, 5.0F, 2 * (1 << 20) + 17);
  Results results;
  sum_of_three(values, Wire::bf16, results);
  EXPECT_TRUE(torch::equal(results.of(0), results.of(1)));
  EXPECT_TRUE(torch::equal(results.of(0), results.of(2)));
}

// Each addend and the sum are rounded to 8 bits, with a relative error of at most 2^-8.
TEST(Group, RoundsAddendsAndSumOnceInBf16) {
  const auto values = torch::linspace(-3.0F, 5.0F, 100'003);
  Results results;
  sum_of_three(values, Wire::bf16, results);
  const torch::Tensor sum = results.of(0).narrow(0, 0, values.numel());
  const torch::Tensor error = (sum.to(torch::kFloat64) - 6.0 * values.to(torch::kFloat64)).abs();
  const torch::Tensor bound = 12.0 * 1.005 / 256.0 * values.to(torch::kFloat64).abs();
  EXPECT_TRUE((error <= bound + 1e-30).all().item<bool>());
  EXPECT_GT(error.max().item<double>(), 0.01) << "the values were not sent in bf16";
}

TEST(Group, KeepsWhatIsNotFiniteInBf16) {
  const auto values = torch::tensor({INFINITY, std::nanf("0x3fffff"), 1.0F, -INFINITY});
  Results results;
  sum_of_three(values, Wire::bf16, results);
  const torch::Tensor sum = results.of(2);
  EXPECT_EQ(sum[0].item<float>(), INFINITY);
  EXPECT_TRUE(std::isnan(sum[1].item<float>()));
  EXPECT_EQ(sum[2].item<float>(), 6.0F);
  EXPECT_EQ(sum[3].item<float>(), -INFINITY);
}

TEST(Group, BroadcastsTheValuesOfTheFirst) {
  Results results;
  test::run_in_group(2, [&](Group& group) {
    const auto values = torch::full({3}, static_cast<double>(group.rank() + 7), torch::kFloat64);
    group.take_from_first(values);
    results.add(group.rank(), values);
  });
  EXPECT_TRUE(torch::equal(results.of(1), torch::full({3}, 7.0, torch::kFloat64)));
}

TEST(Group, DecidesInTheFirstOnly) {
  std::mutex mutex;
  std::map<int64_t, std::string> heard;
  int calls = 0;
  test::run_in_group(3, [&](Group& group) {
    const std::string text = group.decide([&] {
      ++calls;
      return "as rank " + std::to_string(group.rank()) + " says";
    });
    const std::lock_guard lock(mutex);
    heard[group.rank()] = text;
  });
  EXPECT_EQ(calls, 1);
  for (int64_t rank = 0; rank < 3; ++rank) EXPECT_EQ(heard[rank], "as rank 0 says");
}

TEST(Group, RethrowsTheErrorOfADecisionWithItsExitCode) {
  std::string message;
  ExitCode code = ExitCode::kDone;
  test::run_in_group(2, [&](Group& group) {
    try {
      (void)group.decide([]() -> std::string { throw DataError("the disk is full"); });
    } catch (const UserError& error) {
      if (group.rank() == 0) return;
      message = error.what();
      code = error.exit_code();
    }
  });
  EXPECT_EQ(message, "the disk is full");
  EXPECT_EQ(code, ExitCode::kData);
}

TEST(Group, ExchangesNotesByRank) {
  test::run_in_group(3, [&](Group& group) {
    EXPECT_THAT(group.exchange("topic", "from " + std::to_string(group.rank())),
                ElementsAre("from 0", "from 1", "from 2"));
  });
}

TEST(Group, CollectsNotesInTheFirst) {
  test::run_in_group(3, [&](Group& group) {
    for (const std::string round : {"a", "b"}) {
      const std::vector<std::string> notes = group.collect(round + std::to_string(group.rank()));
      if (group.rank() == 0) {
        EXPECT_THAT(notes, ElementsAre(round + "0", round + "1", round + "2"));
      } else {
        EXPECT_THAT(notes, testing::IsEmpty());
      }
    }
  });
}

// As in validation: inside decide(), the first process computes its share and collects the others'.
TEST(Group, NamesTheProcessThatIsGoneWhileNotesAreCollected) {
  std::map<int64_t, std::string> said;
  std::mutex mutex;
  test::run_in_group(
      3,
      [&](Group& group) {
        if (group.rank() == 1) return;
        try {
          if (group.rank() == 2) static_cast<void>(group.collect("share"));
          static_cast<void>(group.decide([&] { return group.collect("share").front(); }));
        } catch (const PeerError& error) {
          const std::lock_guard lock(mutex);
          said[group.rank()] = error.what();
          EXPECT_EQ(error.speaks(), group.rank() == 0);
        }
      },
      std::chrono::seconds(4));
  EXPECT_THAT(said[0], HasSubstr("rank 1 (host "));
  EXPECT_THAT(said[2], HasSubstr("rank 1 (host "));
}

/// The message of rank 0 when rank 1 takes no part in a sum.
std::string said_of(
    const std::function<void(Group&)>& rank_1, std::chrono::milliseconds timeout,
    const std::function<void()>& when_said = [] {}) {
  std::string said;
  test::run_in_group(
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

TEST(Group, NamesAnEndedProcessInsteadOfWaitingForIt) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string said = said_of([](Group&) {}, std::chrono::seconds(60));
  EXPECT_THAT(said, HasSubstr("rank 1 (host "));
  EXPECT_THAT(said, HasSubstr("no longer answers"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Group, NamesAHangingProcessWithinTheTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  std::promise<void> named;
  const std::string said = said_of(
      [&](Group&) { static_cast<void>(named.get_future().wait_for(std::chrono::seconds(60))); },
      std::chrono::seconds(2), [&] { named.set_value(); });
  EXPECT_THAT(said, HasSubstr("rank 1 (host "));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST(Group, SaysWhyTheOtherFailed) {
  const std::string said = said_of([](Group& group) { group.report_failure("no memory left"); },
                                   std::chrono::seconds(60));
  EXPECT_THAT(said, HasSubstr("failed: no memory left"));
}

// Each process sees what the others write, and a process may write to the memory of another.
TEST(Group, SharesMemoryOnOneMachine) {
  if (!test::shows_memory_files()) GTEST_SKIP() << "this system does not share memory";
  test::run_in_group(3, [&](Group& group) {
    SharedMemory* const memory = group.memory();
    ASSERT_NE(memory, nullptr);
    const torch::Tensor own = memory->zeros(5, torch::kFloat64);
    EXPECT_TRUE(torch::equal(own, torch::zeros({5}, torch::kFloat64)));
    own.fill_(static_cast<double>(group.rank() + 1));
    memory->wait();
    for (int64_t rank = 0; rank < 3; ++rank) {
      const auto expected = torch::full({5}, static_cast<double>(rank + 1), torch::kFloat64);
      EXPECT_TRUE(torch::equal(memory->of(rank, own), expected));
    }
    memory->wait();
    if (group.rank() == 2) memory->of(0, own).fill_(7.0);
    memory->wait();
    EXPECT_EQ(memory->of(0, own)[4].item<double>(), 7.0);
  });
}

TEST(Group, AddsUpValuesInMemoryRoundAfterRound) {
  if (!test::shows_memory_files()) GTEST_SKIP() << "this system does not share memory";
  test::run_in_group(4, [&](Group& group) {
    for (int round = 0; round < 200; ++round) {
      const auto value = static_cast<double>(group.rank() + 10 * round);
      EXPECT_THAT(group.memory()->sum({value, 1.0}), ElementsAre(6.0 + 40.0 * round, 4.0));
    }
  });
}

TEST(Group, NamesAProcessThatDoesNotComeToAnUpdate) {
  if (!test::shows_memory_files()) GTEST_SKIP() << "this system does not share memory";
  std::string message;
  test::run_in_group(
      2,
      [&](Group& group) {
        if (group.rank() == 1) return;
        try {
          group.memory()->wait();
        } catch (const PeerError& error) {
          message = error.what();
        }
      },
      std::chrono::seconds(2));
  EXPECT_THAT(message, HasSubstr("rank 1"));
  EXPECT_THAT(message, HasSubstr("an update"));
}

TEST(Group, WaitsForTheFirstToEndItsWork) {
  bool first_ended = false;
  test::run_in_group(2, [&](Group& group) {
    if (group.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      first_ended = true;
    }
    group.part();
    EXPECT_TRUE(first_ended);
  });
}

}  // namespace
}  // namespace attend::distributed
