#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend::kernels {

/// Allocator for the large blocks of memory that kernels need.
struct MemorySource {
  void* (*allocate)(std::size_t bytes);  // aligned to 64 bytes; throws std::bad_alloc
  void (*release)(void* block);          // also accepts blocks of the previous source
};

/// The heap, the default source.
[[nodiscard]] const MemorySource& heap();

/// Replaces the source. Do not call it while other threads allocate.
void use_memory(const MemorySource& source);

/// Allocates from the current source.
[[nodiscard]] void* allocate(std::size_t bytes);
void release(void* block);

/// Deleter for a block.
struct Release {
  void operator()(void* block) const { release(block); }
};

/// A block of numbers from the current source.
template <class T>
using Numbers = std::unique_ptr<T[], Release>;

/// Allocates `count` numbers, not initialised.
template <class T>
[[nodiscard]] Numbers<T> numbers(int64_t count) {
  return Numbers<T>(static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T))));
}

}  // namespace attend::kernels
