#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace attend {

/// A lock on a file, which one process at a time can hold and which ends with that process, however
/// it ends. The file holds the id of the process and is removed when the lock goes; a process that
/// was killed leaves it, which locks nothing.
class FileLock {
 public:
  /// Locks nothing yet.
  explicit FileLock(std::filesystem::path file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Makes the file and locks it. False if another FileLock holds it, in this process or another.
  /// Where the file system has no locks, warns and goes on without. Throws DataError if the file
  /// cannot be made.
  [[nodiscard]] bool take();

 private:
  enum class Outcome { kTaken, kHeld, kAgain };
  [[nodiscard]] Outcome try_once();

  std::filesystem::path file_;
  int descriptor_ = -1;  // of the locked file
};

/// The process that holds the lock on `file` (0: one that has not said who it is); nothing if none
/// does.
[[nodiscard]] std::optional<int64_t> lock_holder(const std::filesystem::path& file);

}  // namespace attend
