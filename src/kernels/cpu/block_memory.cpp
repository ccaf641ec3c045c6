#include "kernels/cpu/block_memory.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace attend::kernels {
namespace {

constexpr std::size_t kAlignment = 64;

void* allocate_on_heap(std::size_t bytes) {
  const std::size_t blocks = bytes / kAlignment + 1;
  if (blocks > std::numeric_limits<std::size_t>::max() / kAlignment) throw std::bad_alloc();
  void* const memory = std::aligned_alloc(kAlignment, blocks * kAlignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release_on_heap(void* block) {
  std::free(block);
}

MemorySource& in_use() {
  static MemorySource source = heap();
  return source;
}

}  // namespace

const MemorySource& heap() {
  static const MemorySource source{&allocate_on_heap, &release_on_heap};
  return source;
}

void use_memory(const MemorySource& source) {
  in_use() = source;
}

void* allocate(std::size_t bytes) {
  return in_use().allocate(bytes);
}

void release(void* block) {
  in_use().release(block);
}

}  // namespace attend::kernels
