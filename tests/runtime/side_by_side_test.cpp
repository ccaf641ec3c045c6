#include "runtime/side_by_side.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace attend::runtime {
namespace {

using testing::Each;

/// Sets the number of threads of the process during its lifetime.
class Threads {
 public:
  explicit Threads(int threads) : before_(at::get_num_threads()) { at::set_num_threads(threads); }
  ~Threads() { at::set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

TEST(SideBySide, DoesEachTaskOnce) {
  for (const int threads_of_process : {1, 4}) {
    const Threads scope(threads_of_process);
    for (const std::size_t count : {0U, 3U, 4U, 100U}) {
      std::vector<int> done(count);
      run_side_by_side(count, [&](std::size_t i) { ++done[i]; });
      EXPECT_THAT(done, Each(1)) << count << " tasks, " << threads_of_process << " threads";
    }
  }
}

TEST(SideBySide, GivesEachTaskOneThreadWhereThereAreEnough) {
  const Threads scope(4);
  ASSERT_EQ(threads(), 4);
  std::vector<int64_t> own(8), of_library(8);
  run_side_by_side(8, [&](std::size_t i) {
    own[i] = threads();
    of_library[i] = at::in_parallel_region() ? 1 : at::get_num_threads();
  });
  EXPECT_THAT(own, Each(1));
  EXPECT_THAT(of_library, Each(1));
  EXPECT_EQ(threads(), 4);
}

TEST(SideBySide, MayGiveFewTasksOneThreadEach) {
  const Threads scope(4);
  for (const std::size_t count : {0U, 1U, 3U, 9U}) {
    std::vector<int64_t> own(count);
    run_on_single_threads(count, [&](std::size_t i) { own[i] = threads(); });
    EXPECT_THAT(own, Each(1));
    EXPECT_EQ(threads(), 4);
  }
}

TEST(SideBySide, GivesFewTasksAllThreadsOneAfterAnother) {
  const Threads scope(4);
  std::vector<int64_t> own;
  run_side_by_side(3, [&](std::size_t) { own.push_back(threads()); });
  EXPECT_THAT(own, testing::ElementsAre(4, 4, 4));
}

// LibTorch's first operation in a thread resets its number of threads to that of the process.
TEST(SideBySide, AThreadKeepsItsNumberWhenLibTorchComputesThere) {
  const Threads scope(4);
  int64_t before = 0, after = 0;
  std::thread([&] {
    use_threads(1);
    before = threads();
    EXPECT_EQ(at::ones({1 << 20}).sum().item<float>(), 1 << 20);
    after = threads();
  }).join();
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
  EXPECT_EQ(threads(), 4);
}

TEST(SideBySide, ThrowsTheErrorOfTheFirstTaskThatFails) {
  const Threads scope(4);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto run = [] {
      run_side_by_side(100, [](std::size_t i) {
        if (i == 7 || i == 8 || i == 10) throw std::runtime_error("task " + std::to_string(i));
      });
    };
    EXPECT_THAT(run, testing::ThrowsMessage<std::runtime_error>("task 7"));
  }
}

TEST(SideBySide, BeginsNothingMoreAfterAnError) {
  const Threads scope(2);
  std::atomic<int> begun = 0;
  EXPECT_THROW(run_side_by_side(1000,
                                [&](std::size_t) {
                                  ++begun;
                                  throw std::runtime_error("no");
                                }),
               std::runtime_error);
  EXPECT_LE(begun, 2);
}

}  // namespace
}  // namespace attend::runtime
