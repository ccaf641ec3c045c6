#pragma once
#include <cstddef>
#include <map>
#include <mutex>

namespace attend::runtime {

/// Blocks of memory out of one range of addresses that belongs to nobody else. A block goes to the
/// lowest gap that holds it, so that the range is used from its beginning, and what is given back
/// is one gap again: memory that only large blocks share does not fall to pieces, as a heap does
/// where small lasting blocks lie between large passing ones. For several threads at once.
class MemoryRegion {
 public:
  /// Reserves addresses; memory is taken when it is first written to, and kept. Where the system
  /// refuses, the region is empty.
  explicit MemoryRegion(std::size_t bytes);
  ~MemoryRegion();
  MemoryRegion(const MemoryRegion&) = delete;
  MemoryRegion& operator=(const MemoryRegion&) = delete;

  /// Aligned to 64 bytes; null where no gap is large enough. Requires: bytes > 0.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Whether the address lies in the region.
  [[nodiscard]] bool owns(const void* block) const;
  /// Gives back what allocate() gave. Throws std::logic_error for anything else.
  void release(void* block);

 private:
  using Offset = std::size_t;

  std::mutex mutex_;
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
  std::map<Offset, std::size_t> gaps_;    // none beside another
  std::map<Offset, std::size_t> blocks_;  // handed out
};

}  // namespace attend::runtime
