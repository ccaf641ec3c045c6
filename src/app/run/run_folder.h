#pragma once
#include <filesystem>

#include "core/file_lock.h"

namespace attend::app {

/// The folder of a run for as long as this process trains in it: no other process may.
class RunFolder {
 public:
  /// Makes the folder if it is not there, and locks it. Throws UsageError with the id of the
  /// process that trains in it already, DataError if it cannot be made or written to.
  explicit RunFolder(const std::filesystem::path& directory);
  /// Unlocks it. A folder that was made here and is empty still, because the run could not begin,
  /// goes away.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

 private:
  /// Destroyed after the lock in it.
  struct Made {
    std::filesystem::path directory;
    bool by_us = false;
    ~Made();
  };

  Made made_;
  FileLock lock_;
};

/// Throws UsageError if a process trains in `directory`, which need not exist.
void check_not_locked(const std::filesystem::path& directory);

}  // namespace attend::app
