#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>

#include "data/options.h"

namespace attend::data {

/// Memory for what grows with the corpus, in chunks that stay where they are as long as this lives.
class Chunks {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 21;

  Chunks() = default;
  virtual ~Chunks() = default;
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;

  /// kBytes more, aligned for every number. Throws DataError where there is no room.
  virtual void* add() = 0;
  /// Said now and then by who reads at random places. May be called from several threads.
  virtual void note_read() {}
};

/// Ordinary memory.
[[nodiscard]] std::shared_ptr<Chunks> chunks_in_memory();

/// A file in `folder` that is mapped into memory. It has no name, so that nothing is left of it
/// when the process ends, however that ends. The system writes out what memory has no room for; we
/// let go of it ourselves after some MiB or thousand reads, so that the process stays small. Throws
/// DataError if there can be no such file.
[[nodiscard]] std::shared_ptr<Chunks> chunks_in_file(const std::filesystem::path& folder);

/// The one that data.storage names; `folder` (empty: the system's temporary folder) is for "mmap".
[[nodiscard]] std::shared_ptr<Chunks> make_chunks(Storage storage,
                                                  const std::filesystem::path& folder);

}  // namespace attend::data
