#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

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
      {.timeout = std::chrono::seconds(4)});
  EXPECT_THAT(said[0], HasSubstr("rank 1 (host "));
  EXPECT_THAT(said[2], HasSubstr("rank 1 (host "));
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
  test::run_in_group(2,
                     [&](Group& group) {
                       if (group.rank() == 1) return;
                       try {
                         group.memory()->wait();
                       } catch (const PeerError& error) {
                         message = error.what();
                       }
                     },
                     {.timeout = std::chrono::seconds(2)});
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
