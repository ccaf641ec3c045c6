#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <map>
#include <mutex>

#include "distributed/join.h"
#include "distributed/peer_error.h"
#include "tests/distributed/in_threads.h"

namespace attend::distributed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// By rank.
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

TEST(Group, TakesTheValuesOfTheFirst) {
  Results results;
  test::run_in_group(2, [&](Group& group) {
    const auto values = torch::full({3}, static_cast<double>(group.rank() + 7), torch::kFloat64);
    group.take_from_first(values);
    results.add(group.rank(), values);
  });
  EXPECT_TRUE(torch::equal(results.of(1), torch::full({3}, 7.0, torch::kFloat64)));
}

TEST(Group, DecidesInTheFirstAlone) {
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

TEST(Group, HandsOnWhyTheFirstFailedWithItsExitCode) {
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

/// What rank 0 says of rank 1, which does not take part in a sum.
std::string said_of(const std::function<void(Group&)>& rank_1, std::chrono::milliseconds timeout) {
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
      },
      timeout);
  return said;
}

TEST(Group, NamesTheOneThatEndedInsteadOfWaitingForIt) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string said = said_of([](Group&) {}, std::chrono::seconds(60));
  EXPECT_THAT(said, HasSubstr("rank 1 (host "));
  EXPECT_THAT(said, HasSubstr("does not answer"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Group, NamesTheOneThatHangsWithinTheTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string said =
      said_of([](Group&) { std::this_thread::sleep_for(std::chrono::seconds(8)); },
              std::chrono::seconds(4));
  EXPECT_THAT(said, HasSubstr("rank 1 (host "));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST(Group, SaysWhyTheOtherFailed) {
  const std::string said = said_of([](Group& group) { group.report_failure("no memory left"); },
                                   std::chrono::seconds(60));
  EXPECT_THAT(said, HasSubstr("failed: no memory left"));
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
