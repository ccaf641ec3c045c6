#pragma once
/// Splits a product among threads. One thread computes each element of c, so no sums cross threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/cpu/block_memory.h"
#include "kernels/cpu/parallel.h"

namespace attend::kernels {
namespace {

/// A range of rows of c and of panels of b.
struct PanelBlock {
  int64_t row = 0, row_end = 0;
  int64_t panel = 0, panel_end = 0;
};

/// Rows per block for `rows` rows of c, at most kMost: whole tiles, and blocks of about equal size,
/// so that threads have equal shares.
template <int64_t kMost, int64_t kTileRows>
int64_t rows_of_block(int64_t rows) {
  const int64_t blocks = (rows + kMost - 1) / kMost;
  return ((rows + blocks - 1) / blocks + kTileRows - 1) / kTileRows * kTileRows;
}

/// Calls work(block) for blocks of `size` rows that cover all rows and panels. Each thread takes a
/// share of the panels of every block of rows.
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

/// Scratch memory of this thread for kCount numbers, kept until the thread ends.
template <class T, std::size_t kCount>
T* memory_of_thread() {
  thread_local const std::unique_ptr<void, void (*)(void*)> memory(
      heap().allocate(kCount * sizeof(T)), heap().release);
  return static_cast<T*>(memory.get());
}

}  // namespace
}  // namespace attend::kernels
