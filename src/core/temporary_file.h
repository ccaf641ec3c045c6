#pragma once
#include <filesystem>
#include <optional>

namespace attend {

/// A new file in the folder of the `target` that it will replace: "x.attend-1.tmp" for "x", or
/// "x.attend-2.tmp" and so on if other writers of "x" are active. The file is locked (flock) as
/// long as the object lives. A file without a lock was left by a killed process and is removed when
/// its name is needed again, so there are never more leftovers than there were simultaneous
/// writers. Files with other names and files being written are never touched.
class TemporaryFile {
 public:
  /// The file has the default permissions, or only its owner's if `is_private`. Throws
  /// std::system_error if it cannot be created.
  TemporaryFile(const std::filesystem::path& target, bool is_private);
  /// Removes the file unless it was renamed.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// A descriptor open for reading and writing.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Gives the file its final name. Returns 0 or errno.
  [[nodiscard]] int rename_to(const std::filesystem::path& name);

 private:
  int create(unsigned rights);

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

/// The file that `file` would replace, if `file` has the name of a TemporaryFile.
[[nodiscard]] std::optional<std::filesystem::path> temporary_target(
    const std::filesystem::path& file);

/// Removes a temporary file that a killed process left. Does nothing if the file is being written.
/// At the fault_point() "remove" it throws DataError.
void remove_leftover(const std::filesystem::path& file);

}  // namespace attend
