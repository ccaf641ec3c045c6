#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>

#include "data/options.h"

namespace attend::data {

/// Memory for data that grows with the corpus. Chunks keep their address while the object lives.
class Chunks {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 21;

  Chunks() = default;
  virtual ~Chunks() = default;
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;

  /// Adds a chunk of kBytes, aligned for every number type. Throws DataError if there is no room.
  virtual void* add() = 0;
  /// Must be called for each read at a random position. Thread-safe.
  virtual void note_read() {}
};

/// Ordinary memory.
[[nodiscard]] std::shared_ptr<Chunks> chunks_in_memory();

/// A nameless file in `folder`, mapped into memory; it disappears with the process, even after a
/// crash. The system writes pages out when memory is short. To keep the process small, pages are
/// released after some MiB of writes or some thousand reads. Throws DataError if the file cannot
/// be created.
[[nodiscard]] std::shared_ptr<Chunks> chunks_in_file(const std::filesystem::path& folder);

/// Creates chunks in memory or in a file, as `storage` says. The file lies in `folder` (empty: the
/// system's temporary folder).
[[nodiscard]] std::shared_ptr<Chunks> make_chunks(Storage storage,
                                                  const std::filesystem::path& folder);

}  // namespace attend::data
