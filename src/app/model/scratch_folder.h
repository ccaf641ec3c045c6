#pragma once
#include <filesystem>

namespace attend::app {

/// A temporary folder that is removed with its contents when the object is destroyed.
class ScratchFolder {
 public:
  /// Throws DataError if it cannot be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace attend::app
