#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace attend::server {

/// What tells without reading a file whether it has changed.
struct FileStamp {
  std::uintmax_t size = 0;  ///< bytes
  std::filesystem::file_time_type written;

  bool operator==(const FileStamp&) const = default;
};

/// Nothing for what is no regular file or cannot be looked at.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

}  // namespace attend::server
