#include "runtime/memory_region.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/block_memory.h"
#include "runtime/tensor_memory.h"

namespace attend::runtime {
namespace {

TEST(MemoryRegion, GivesTheLowestGapThatIsLargeEnough) {
  MemoryRegion region(1024);
  void* const a = region.allocate(100);  // rounded up to 128
  void* const b = region.allocate(300);  // 320
  void* const c = region.allocate(64);
  EXPECT_EQ(static_cast<std::byte*>(b), static_cast<std::byte*>(a) + 128);
  region.release(b);
  EXPECT_EQ(region.allocate(500), static_cast<std::byte*>(c) + 64) << "the gap of b is too small";
  EXPECT_EQ(region.allocate(320), b);
}

TEST(MemoryRegion, MergesReleasedBlocksWithTheirNeighbours) {
  MemoryRegion region(4 * 64);
  void* const blocks[] = {region.allocate(64), region.allocate(64), region.allocate(64),
                          region.allocate(64)};
  EXPECT_EQ(region.allocate(1), nullptr) << "no gap is left";
  for (const int i : {0, 2, 1, 3}) region.release(blocks[i]);
  EXPECT_EQ(region.allocate(4 * 64), blocks[0]);
}

TEST(MemoryRegion, RefusesToReleaseABlockTwice) {
  MemoryRegion region(1024);
  int elsewhere = 0;
  void* const block = region.allocate(64);
  EXPECT_TRUE(region.owns(block));
  EXPECT_FALSE(region.owns(&elsewhere));
  region.release(block);
  EXPECT_THROW(region.release(block), std::logic_error);
}

// Regression: the size was rounded up to 0, and the empty block overlapped the next one.
TEST(MemoryRegion, RefusesSizesThatOverflow) {
  MemoryRegion region(1024);
  EXPECT_EQ(region.allocate(std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(region.allocate(std::numeric_limits<std::size_t>::max() - 62), nullptr);
  EXPECT_NE(region.allocate(1024), nullptr);
}

TEST(Heap, RefusesSizesThatOverflow) {
  EXPECT_THROW((void)kernels::heap().allocate(std::numeric_limits<std::size_t>::max()),
               std::bad_alloc);
}

TEST(MemoryRegion, IsEmptyWhereTheSystemRefuses) {
  MemoryRegion region(std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(region.allocate(64), nullptr);
  EXPECT_FALSE(region.owns(&region));
}

// Every block keeps its content until it is released.
TEST(MemoryRegion, KeepsBlocksApart) {
  struct Block {
    unsigned char* data;
    std::size_t size;
    unsigned char content;
  };
  MemoryRegion region(std::size_t{1} << 16);
  std::vector<Block> blocks;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = 1 + random() % 4000;
    if (void* const data = region.allocate(size); data != nullptr && random() % 2 == 0) {
      blocks.push_back({static_cast<unsigned char*>(data), size, static_cast<unsigned char>(i)});
      std::memset(data, static_cast<unsigned char>(i), size);
    } else if (data != nullptr) {
      region.release(data);
    }
    if (blocks.empty() || random() % 2 == 0) continue;
    const std::size_t which = random() % blocks.size();
    const Block block = blocks[which];
    for (std::size_t k = 0; k < block.size; ++k) ASSERT_EQ(block.data[k], block.content);
    region.release(block.data);
    blocks[which] = blocks.back();
    blocks.pop_back();
  }
}

TEST(TensorMemory, ServesLargeAndSmallTensorsBesideEarlierOnes) {
  const torch::Tensor before = torch::full({100'000}, 1.0F);
  use_tensor_memory();
  torch::Tensor large = torch::full({100'000}, 2.0F);
  const torch::Tensor small = torch::full({10}, 3.0F);
  large = torch::cat({large, before, small});
  EXPECT_EQ(large.sum(torch::kFloat64).item<double>(), 300'030.0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data_ptr()) % 64, 0U);
}

#if TORCH_VERSION_MAJOR < 2  // a later LibTorch keeps its own memory
TEST(TensorMemory, ServesKernelsAndReleasesEarlierHeapBlocks) {
  void* const before = kernels::heap().allocate(1000);
  use_tensor_memory();
  void* const after = kernels::allocate(1'000'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(after) % 64, 0U);
  kernels::release(before);
  kernels::release(after);
  void* const again = kernels::allocate(1'000'000);
  EXPECT_EQ(again, after) << "the lowest gap comes first";
  kernels::release(again);
}
#endif

}  // namespace
}  // namespace attend::runtime
