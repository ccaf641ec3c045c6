#pragma once
#include <filesystem>
#include <optional>

namespace attend {

/// A new file beside another one, which it is to replace: "x.attend-1.tmp" beside "x", or -2 and so
/// on where other writers of "x" are at work. It is locked (flock) as long as the object lives,
/// which tells it from one that a killed process left: such a one is removed when its name is
/// wanted again, so that at most as many stay as there were writers at once. No file of another
/// name is touched, and none that somebody is writing.
class TemporaryFile {
 public:
  /// Its rights are those of any new file, or with `is_private` the owner's alone. Throws
  /// std::system_error if it cannot be made.
  TemporaryFile(const std::filesystem::path& target, bool is_private);
  /// Removes the file unless it was renamed.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Open for reading and writing.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Gives the file its final name. Returns errno, 0 if all went well.
  [[nodiscard]] int rename_to(const std::filesystem::path& name);

 private:
  int create(unsigned rights);

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

/// The file that `file` was to replace, if its name is one of a TemporaryFile.
[[nodiscard]] std::optional<std::filesystem::path> temporary_target(
    const std::filesystem::path& file);

/// Removes a temporary file that a killed process left; nothing happens to one that is being
/// written.
/// A fault_point() "remove", which throws DataError.
void remove_leftover(const std::filesystem::path& file);

}  // namespace attend
