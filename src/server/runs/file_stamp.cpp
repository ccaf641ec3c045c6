#include "server/runs/file_stamp.h"

namespace attend::server {

std::optional<FileStamp> stamp_of(const std::filesystem::path& file) {
  std::error_code failed;
  if (!is_regular_file(std::filesystem::symlink_status(file, failed))) return std::nullopt;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) return std::nullopt;
  const auto written = std::filesystem::last_write_time(file, failed);
  if (failed) return std::nullopt;
  return FileStamp{size, written};
}

}  // namespace attend::server
