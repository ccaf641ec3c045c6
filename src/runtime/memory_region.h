#pragma once
#include <cstddef>
#include <map>
#include <mutex>

namespace attend::runtime {

/// Allocates blocks from a private address range. A block goes to the lowest gap that fits, so the
/// range is used from its start, and released blocks merge with neighbouring gaps. This avoids the
/// fragmentation of a heap, where small long-lived blocks lie between large short-lived ones.
/// Thread-safe.
class MemoryRegion {
 public:
  /// Reserves address space. Memory is used once it is written to, and then kept. The region is
  /// empty if the system refuses.
  explicit MemoryRegion(std::size_t bytes);
  ~MemoryRegion();
  MemoryRegion(const MemoryRegion&) = delete;
  MemoryRegion& operator=(const MemoryRegion&) = delete;

  /// Returns a block aligned to 64 bytes, or null if no gap is large enough. Requires: bytes > 0.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// True if the address lies in the region.
  [[nodiscard]] bool owns(const void* block) const;
  /// Releases a block of allocate(). Throws std::logic_error for anything else.
  void release(void* block);

 private:
  using Offset = std::size_t;

  std::mutex mutex_;
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
  std::map<Offset, std::size_t> gaps_;    // sizes; no two are adjacent
  std::map<Offset, std::size_t> blocks_;  // sizes of allocated blocks
};

}  // namespace attend::runtime
