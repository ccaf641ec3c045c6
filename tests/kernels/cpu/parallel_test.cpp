#include "kernels/cpu/parallel.h"

#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "tests/kernels/threads.h"

namespace attend::kernels {
namespace {

TEST(ParallelRanges, CoverAllOnce) {
  const Threads threads(3);
  std::vector<int> seen(1000);
  parallel_ranges(1000, 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
}

// Regression: the program ended with "terminate called after throwing an instance of
// 'std::bad_alloc'".
TEST(ParallelRanges, PropagateBadAllocFromAThread) {
  const Threads threads(3);
  std::vector<int> done(9);
  EXPECT_THROW(parallel_ranges(9, 1,
                               [&](int64_t begin, int64_t) {
                                 done[static_cast<std::size_t>(begin)] = 1;
                                 if (begin % 4 == 3) throw std::bad_alloc();
                               }),
               std::bad_alloc);
  EXPECT_EQ(done, std::vector<int>(9, 1)) << "the other parts are done";
}

TEST(ParallelRanges, PropagateExceptionsThroughNestedRegions) {
  const Threads threads(2);
  const auto inner = [](int64_t begin, int64_t) {
    if (begin == 5) throw std::bad_alloc();
  };
  EXPECT_THROW(parallel_ranges(2, 1, [&](int64_t, int64_t) { parallel_ranges(9, 1, inner); }),
               std::bad_alloc);
}

}  // namespace
}  // namespace attend::kernels
