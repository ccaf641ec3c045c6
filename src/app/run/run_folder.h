#pragma once
#include <filesystem>

#include "core/file_lock.h"

namespace attend::app {

/// Locks the folder of a run while this process trains in it.
class RunFolder {
 public:
  /// Creates the folder if necessary and locks it. Throws UsageError with the id of a process that
  /// already trains in it, DataError if it cannot be created or written to, or if one of its files
  /// is a link to a file outside it.
  explicit RunFolder(const std::filesystem::path& directory);
  /// Unlocks the folder. Removes it if it was created here and is still empty because the run could
  /// not start.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

 private:
  /// Removes a new folder that is still empty. Must be destroyed after the lock in the folder.
  struct Made {
    std::filesystem::path directory;
    bool by_us = false;
    ~Made();
  };

  Made made_;
  FileLock lock_;
};

/// Throws UsageError if a process trains in `directory` (which may not exist).
void check_not_locked(const std::filesystem::path& directory);

}  // namespace attend::app
