#pragma once
// Blocks of up to kLargestSmall bytes that are handed out again as soon as they are given back.
// The tensors of a step of search live for a moment, and a heap takes longer to align one of them
// than a kernel to compute it. Each thread has lists of its own, one for each of 32 sizes; what it
// has too much of, and all of it when the thread ends, goes to lists that all threads share.
// Memory that was once used for a size stays with it. For several threads at once.
#include <cstddef>

namespace attend::runtime {

/// Bytes of the largest.
inline constexpr std::size_t kLargestSmall = std::size_t{1} << 15;

/// Aligned to 64 bytes; null for more than kLargestSmall bytes, and where the addresses are used up
/// or the system refuses them. Requires: bytes > 0.
[[nodiscard]] void* allocate_small(std::size_t bytes);
/// Whether allocate_small() gave it.
[[nodiscard]] bool is_small(const void* block);
/// Gives it back, in any thread. Requires: is_small(block).
void release_small(void* block);

}  // namespace attend::runtime
