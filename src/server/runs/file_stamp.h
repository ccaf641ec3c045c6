#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace attend::server {

/// The size and time of a file. They show whether the file has changed without reading it.
struct FileStamp {
  std::uintmax_t size = 0;  ///< bytes
  std::filesystem::file_time_type written;

  bool operator==(const FileStamp&) const = default;
};

/// Empty if `file` is not a regular file or cannot be accessed. Opening a pipe or a device could
/// wait for ever, and a link could lead to any file, so only files with a stamp are read.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

}  // namespace attend::server
