#include "distributed/store_collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <set>
#include <thread>

#include "distributed/meeting_point.h"

namespace attend::distributed {
namespace {

/// Runs `task` in two threads as if they were processes.
void run_two(const std::function<void(StoreCollectives&, Rendezvous&)>& task) {
  MeetingPoint meeting_point;
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      const Place place{.rank = rank,
                        .size = 2,
                        .connections = {meeting_point.connect(), meeting_point.connect()},
                        .meets_launcher = true};
      Rendezvous rendezvous(place);
      StoreCollectives collectives({.place = place,
                                    .rendezvous = rendezvous,
                                    .timeout = std::chrono::minutes(1),
                                    .exchange = {},
                                    .check = [] {}});
      task(collectives, rendezvous);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(StoreCollectives, SendRowsToTheirProcesses) {
  run_two([](StoreCollectives& collectives, Rendezvous&) {
    const auto own = static_cast<float>(10 * collectives.rank());
    const auto sent = torch::tensor({{own, own + 1}, {own + 2, own + 3}});
    auto received = torch::zeros({2, 2});
    collectives.all_to_all(received, sent);
    const auto expected = collectives.rank() == 0 ? torch::tensor({{0.0F, 1.0F}, {10.0F, 11.0F}})
                                                  : torch::tensor({{2.0F, 3.0F}, {12.0F, 13.0F}});
    EXPECT_TRUE(torch::equal(received, expected)) << received;
    collectives.all_gather(received, sent[1]);
    EXPECT_TRUE(torch::equal(received, torch::tensor({{2.0F, 3.0F}, {12.0F, 13.0F}})));
  });
}

// Values must not pile up in the process that hosts the store.
TEST(StoreCollectives, LeaveOnlyTheNotesOfTheLastOperation) {
  run_two([](StoreCollectives& collectives, Rendezvous& rendezvous) {
    const auto values = torch::ones({2});
    for (int i = 0; i < 3; ++i) {
      collectives.broadcast(values);
      collectives.all_reduce(values);
    }
    const auto key = [](int operation, int64_t rank) {
      return "values/" + std::to_string(operation) + "/" + std::to_string(rank) + "/-1/0";
    };
    for (int operation = 1; operation < 6; ++operation)
      EXPECT_FALSE(rendezvous.find(key(operation, collectives.rank()))) << operation;
    EXPECT_TRUE(rendezvous.find(key(6, collectives.rank())));
  });
}

TEST(StoreCollectives, SendLargeValuesInSeveralNotes) {
  run_two([](StoreCollectives& collectives, Rendezvous&) {
    const int64_t size = (int64_t{3} << 20) + 5;  // 12 MiB and a bit
    const auto values = torch::arange(size, torch::kFloat32) * (collectives.rank() + 1);
    collectives.broadcast(values);
    EXPECT_TRUE(torch::equal(values, torch::arange(size, torch::kFloat32)));
  });
}

}  // namespace
}  // namespace attend::distributed
