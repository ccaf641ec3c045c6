#pragma once
#include <cstddef>

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

}  // namespace attend::kernels
