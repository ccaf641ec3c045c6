#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "data/chunks.h"

namespace attend::data {

/// A file mapped read-only into memory. Processes that map the same file share its memory. Pages
/// are released after some thousand reads.
class MappedFile final : public Chunks {
 public:
  /// Throws DataError if the file cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile() override;

  /// Throws std::logic_error: a mapped file cannot grow.
  void* add() override;
  void note_read() override;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] uint64_t size() const { return size_; }  ///< bytes
  [[nodiscard]] std::byte* at(uint64_t offset) const {
    return static_cast<std::byte*>(begin_) + offset;
  }

 private:
  std::filesystem::path path_;
  uint64_t size_ = 0;
  void* begin_ = nullptr;
  std::atomic<uint32_t> reads_ = 0;
};

}  // namespace attend::data
