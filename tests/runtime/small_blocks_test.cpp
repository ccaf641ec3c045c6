#include "runtime/small_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace attend::runtime {
namespace {

TEST(SmallBlocks, AreAlignedAndKnown) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{65}, std::size_t{700}, kLargestSmall}) {
    void* const block = allocate_small(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U) << bytes;
    EXPECT_TRUE(is_small(block));
    release_small(block);
  }
  int elsewhere = 0;
  EXPECT_FALSE(is_small(&elsewhere));
  EXPECT_EQ(allocate_small(kLargestSmall + 1), nullptr);
}

TEST(SmallBlocks, AreReused) {
  void* const block = allocate_small(1000);
  release_small(block);
  EXPECT_EQ(allocate_small(970), block) << "both sizes are rounded up to the same";
  release_small(block);
}

/// A block filled with one byte value.
struct Filled {
  unsigned char* block;
  std::size_t bytes;
  unsigned char content;

  [[nodiscard]] bool is_intact() const {
    return std::all_of(block, block + bytes, [&](unsigned char c) { return c == content; });
  }
};

Filled filled(std::size_t bytes, unsigned char content) {
  auto* const block = static_cast<unsigned char*>(allocate_small(bytes));
  std::memset(block, content, bytes);
  return {block, bytes, content};
}

// Blocks of many sizes, three of each, filled to their last byte.
TEST(SmallBlocks, DoNotOverlap) {
  std::vector<Filled> blocks;
  for (std::size_t bytes = 1; bytes <= kLargestSmall; bytes += 61)
    for (int i = 0; i < 3; ++i)
      blocks.push_back(filled(bytes, static_cast<unsigned char>(blocks.size() % 251)));
  EXPECT_TRUE(
      std::all_of(blocks.begin(), blocks.end(), [](const Filled& b) { return b.is_intact(); }));
  for (const Filled& b : blocks) release_small(b.block);
}

/// Passes blocks between threads.
class Exchange {
 public:
  void leave(const Filled& block) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block);
  }
  bool take(Filled& block) {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) return false;
    block = blocks_.back();
    blocks_.pop_back();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<Filled> blocks_;
};

TEST(SmallBlocks, MayBeReleasedByOtherThreads) {
  Exchange exchange;
  const auto work = [&exchange](uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20000; ++i) {
      exchange.leave(filled(1 + random() % 5000, static_cast<unsigned char>(random())));
      Filled block = {};
      if (random() % 4 == 0 || !exchange.take(block)) continue;
      EXPECT_TRUE(block.is_intact());
      release_small(block.block);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  Filled block = {};
  while (exchange.take(block)) {
    EXPECT_TRUE(block.is_intact());
    release_small(block.block);
  }
}

// Blocks are allocated by one thread and released by another.
TEST(SmallBlocks, ReturnFromAReleasingThreadToAnAllocatingOne) {
  std::set<void*> blocks;
  for (int round = 0; round < 100; ++round) {
    std::vector<void*> taken;
    std::thread([&] {
      for (int i = 0; i < 500; ++i) taken.push_back(allocate_small(4000));
    }).join();
    blocks.insert(taken.begin(), taken.end());
    for (void* const block : taken) release_small(block);
  }
  EXPECT_LT(blocks.size(), 2000U) << "blocks are reused";
}

TEST(SmallBlocks, AreReusedAfterTheirThreadEnds) {
  std::set<void*> blocks;
  for (int round = 0; round < 100; ++round) {
    std::thread([&] {
      void* const block = allocate_small(30000);
      blocks.insert(block);
      release_small(block);
    }).join();
  }
  EXPECT_LE(blocks.size(), 2U);
}

}  // namespace
}  // namespace attend::runtime
