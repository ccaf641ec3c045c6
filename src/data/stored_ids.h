#pragma once
#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "data/chunks.h"
#include "text/vocabulary.h"

namespace attend::data {

/// An array in a token file: blocks of Chunks::kBytes with a checksum each.
struct StoredArray {
  uint64_t begin = 0;               ///< offset in the file
  uint64_t size = 0;                ///< elements
  uint64_t element = 0;             ///< bytes
  std::vector<uint32_t> checksums;  ///< one per block

  [[nodiscard]] uint64_t bytes() const { return size * element; }
  [[nodiscard]] std::size_t block_bytes(std::size_t block) const;
};

/// Token ids that stay in a token file. They are read, not mapped: another program may overwrite or
/// cut the file at any time, and reading a mapped page that is gone would kill the process. Each
/// block is compared with its checksum before its first use, and the file must not change after it
/// was opened. Replacing it by a new file of the same name does no harm. Thread-safe.
class StoredIds {
 public:
  /// `array`: ids of 2 or 4 bytes; every id is below `vocabulary`. Throws DataError if the file
  /// cannot be opened.
  StoredIds(const std::filesystem::path& path, StoredArray array, int64_t vocabulary);
  ~StoredIds();
  StoredIds(const StoredIds&) = delete;
  StoredIds& operator=(const StoredIds&) = delete;

  /// Number of ids.
  [[nodiscard]] uint64_t size() const { return array_.size; }
  /// Reads ids.size() ids from `position` on. Throws DataError if the file is damaged or has
  /// changed. Requires: the ids lie in the array.
  void read(uint64_t position, std::span<text::TokenId> ids) const;

 private:
  void check_block(std::size_t block) const;
  void read_bytes(uint64_t offset, std::span<std::byte> bytes) const;
  void check_unchanged() const;
  [[noreturn]] void report_damage() const;
  template <class Id>
  void read_as(uint64_t position, std::span<text::TokenId> ids) const;

  std::filesystem::path path_;
  StoredArray array_;
  int64_t vocabulary_;
  int descriptor_;
  struct stat opened_ = {};
  mutable std::vector<std::atomic<bool>> checked_;  // by block
};

}  // namespace attend::data
