#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend::kernels {

/// Where the large blocks of memory that kernels need for themselves come from.
struct MemorySource {
  void* (*allocate)(std::size_t bytes);  // aligned to 64 bytes; throws std::bad_alloc
  void (*release)(void* block);          // also of the source that was in use before
};

/// The heap, which is in use at first.
[[nodiscard]] const MemorySource& heap();

/// From now on another source is in use. Not while other threads allocate.
void use_memory(const MemorySource& source);

/// From the source in use.
[[nodiscard]] void* allocate(std::size_t bytes);
void release(void* block);

/// Gives a block back, as a deleter.
struct Release {
  void operator()(void* block) const { release(block); }
};

/// A block of numbers from there.
template <class T>
using Numbers = std::unique_ptr<T[], Release>;

/// `count` of them, not initialised.
template <class T>
[[nodiscard]] Numbers<T> numbers(int64_t count) {
  return Numbers<T>(static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T))));
}

}  // namespace attend::kernels
