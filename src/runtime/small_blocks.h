#pragma once
// An allocator for blocks of up to kLargestSmall bytes, which reuses released blocks at once. The
// tensors of a search step are short-lived, and allocating an aligned tensor on a heap takes longer
// than computing it. Each thread has its own free list for each of 32 sizes. Surplus blocks, and
// all blocks of a thread that ends, go to lists shared by all threads. Memory used for one size is
// never used for another. Thread-safe.
#include <cstddef>

namespace attend::runtime {

/// Bytes of the largest block.
inline constexpr std::size_t kLargestSmall = std::size_t{1} << 15;

/// Returns a block aligned to 64 bytes; null for more than kLargestSmall bytes, or if the address
/// range is exhausted or was refused by the system. Requires: bytes > 0.
[[nodiscard]] void* allocate_small(std::size_t bytes);
/// True if the block comes from allocate_small().
[[nodiscard]] bool is_small(const void* block);
/// Releases the block, in any thread. Requires: is_small(block).
void release_small(void* block);

}  // namespace attend::runtime
