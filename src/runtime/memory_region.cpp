#include "runtime/memory_region.h"

#include <sys/mman.h>

#include <iterator>
#include <stdexcept>

// Batches of changing lengths make tensors of changing sizes. In a heap, small long-lived blocks
// (strings, graph nodes) end up between them and split the free memory into gaps that later tensors
// do not fit into: the process grows by a quarter. This region has only large blocks that are all
// released at the end of a step, so gaps merge again, and taking the lowest gap reuses pages.
// Addresses are reserved once (MAP_NORESERVE: at no cost). A page that was written to is kept,
// since returning it would cost a page fault at every step. The maps of blocks and gaps lie outside
// the region; there are at most a thousand blocks.

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
  (void)madvise(start, size, MADV_HUGEPAGE);  // a hint: larger pages cost fewer TLB misses
  start_ = static_cast<std::byte*>(start);
  size_ = size;
  gaps_.emplace(0, size);
}

MemoryRegion::~MemoryRegion() {
  if (start_ != nullptr) munmap(start_, size_);
}

void* MemoryRegion::allocate(std::size_t bytes) {
  if (bytes > size_) return nullptr;  // rounding up could overflow to 0
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
