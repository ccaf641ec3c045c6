#pragma once
/// How a product is shared out among threads: each element of c is one thread's, so that nothing is
/// added up between threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/cpu/block_memory.h"
#include "kernels/cpu/parallel.h"

namespace attend::kernels {
namespace {

/// Some rows of c and panels of b.
struct PanelBlock {
  int64_t row = 0, row_end = 0;
  int64_t panel = 0, panel_end = 0;
};

/// Rows of a block where c has so many, at most kMost of them: blocks are of about one size, so
/// that threads have equal shares, and of whole tiles.
template <int64_t kMost, int64_t kTileRows>
int64_t rows_of_block(int64_t rows) {
  const int64_t blocks = (rows + kMost - 1) / kMost;
  return ((rows + blocks - 1) / blocks + kTileRows - 1) / kTileRows * kTileRows;
}

/// Calls work(block) for blocks of `size` rows that cover rows by panels, each thread its share of
/// the panels of all blocks of rows.
template <class Work>
void share_blocks(int64_t rows, int64_t panels, int64_t size, const Work& work) {
  const int64_t blocks = (rows + size - 1) / size;
  parallel_shares(blocks * panels, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / panels * size, panel = begin % panels;
      const PanelBlock block{row, std::min(row + size, rows), panel,
                             std::min(panels, panel + end - begin)};
      work(block);
      begin += block.panel_end - block.panel;
    }
  });
}

/// Memory of this thread for kCount numbers, such as some rows of a.
template <class T, std::size_t kCount>
T* memory_of_thread() {
  thread_local const std::unique_ptr<void, void (*)(void*)> memory(
      heap().allocate(kCount * sizeof(T)), heap().release);
  return static_cast<T*>(memory.get());
}

}  // namespace
}  // namespace attend::kernels
