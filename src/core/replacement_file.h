#pragma once
#include <filesystem>
#include <fstream>

namespace attend {

/// A file being written beside the one that it will replace. Goes away unless commit() was called.
class ReplacementFile {
 public:
  /// Throws DataError if the file beside `path` cannot be made or `path` is something else than a
  /// regular file.
  explicit ReplacementFile(const std::filesystem::path& path);
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  [[nodiscard]] std::ofstream& stream() { return stream_; }
  /// Flushes to disk, renames, flushes the folder. Throws DataError if anything could not be
  /// written.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::ofstream stream_;
  bool committed_ = false;
};

}  // namespace attend
