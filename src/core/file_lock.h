#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace attend {

/// An exclusive lock on a file, held by one process at a time. The lock ends with its process, even
/// if that is killed. The file contains the process id and is removed when the lock is released. A
/// killed process leaves the file behind, but it no longer locks anything.
class FileLock {
 public:
  explicit FileLock(std::filesystem::path file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Creates the file and locks it. Returns false if another FileLock holds it, in this process or
  /// another. If the file system does not support locks, warns and returns true. Throws DataError
  /// if the file cannot be created, and for a link, a pipe, a device or a file with other
  /// content than a process id, which it leaves alone.
  [[nodiscard]] bool take();

 private:
  enum class Outcome { kTaken, kHeld, kAgain };
  [[nodiscard]] Outcome try_once();

  std::filesystem::path file_;
  int descriptor_ = -1;  // of the locked file
};

/// The id of the process that holds the lock on `file`, or 0 if the file does not contain it yet;
/// nothing if the file is not locked. Follows no link and never waits.
[[nodiscard]] std::optional<int64_t> lock_holder(const std::filesystem::path& file);

}  // namespace attend
