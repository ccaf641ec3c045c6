#pragma once
#include <filesystem>

namespace attend::app {

/// A folder among the system's temporary files that is removed with everything in it when the
/// object goes.
class ScratchFolder {
 public:
  /// Throws DataError if it cannot be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace attend::app
