#include "runtime/memory_region.h"

#include <sys/mman.h>

#include <iterator>
#include <stdexcept>

// Batches of changing lengths make tensors of changing sizes. In a heap, small blocks that stay
// (strings, graph nodes) come to lie between them and cut the free memory into gaps that no later
// tensor fits into: the process grows by a quarter. Here nothing lies but large blocks that all go
// at the end of a step, so that gaps join again, and the lowest gap is taken, so that pages used
// before are used again. Addresses are reserved once (MAP_NORESERVE: they cost nothing); a page
// that was written to stays, since giving it back costs a page fault at every step. Blocks and gaps
// are kept in maps beside the memory, not in it: a thousand blocks at most are handed out.

namespace attend::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

MemoryRegion::MemoryRegion(std::size_t bytes) {
  const std::size_t size = bytes / kAlignment * kAlignment;
  if (size == 0) return;
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return;
  (void)madvise(start, size, MADV_HUGEPAGE);  // a hint: fewer, larger pages to look up
  start_ = static_cast<std::byte*>(start);
  size_ = size;
  gaps_.emplace(0, size);
}

MemoryRegion::~MemoryRegion() {
  if (start_ != nullptr) munmap(start_, size_);
}

void* MemoryRegion::allocate(std::size_t bytes) {
  if (bytes > size_) return nullptr;  // rounded up, it might be nothing
  const std::size_t size = rounded_up(bytes);
  const std::lock_guard lock(mutex_);
  auto gap = gaps_.begin();
  while (gap != gaps_.end() && gap->second < size) ++gap;
  if (gap == gaps_.end()) return nullptr;
  const auto [offset, length] = *gap;
  gaps_.erase(gap);
  if (length > size) gaps_.emplace(offset + size, length - size);
  blocks_.emplace(offset, size);
  return start_ + offset;
}

bool MemoryRegion::owns(const void* block) const {
  const auto* const address = static_cast<const std::byte*>(block);
  return start_ != nullptr && address >= start_ && address < start_ + size_;
}

void MemoryRegion::release(void* block) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(static_cast<Offset>(static_cast<std::byte*>(block) - start_));
  if (found == blocks_.end()) throw std::logic_error("MemoryRegion: no such block");
  auto [offset, size] = *found;
  blocks_.erase(found);
  auto next = gaps_.lower_bound(offset);
  if (next != gaps_.end() && next->first == offset + size) {
    size += next->second;
    next = gaps_.erase(next);
  }
  if (next != gaps_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += size;
      return;
    }
  }
  gaps_.emplace_hint(next, offset, size);
}

}  // namespace attend::runtime
