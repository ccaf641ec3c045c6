#include "core/replacement_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"

namespace attend {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw DataError(
      path, fmt::format("cannot write the file: {}",
                        error == 0 ? "write error (is the disk full?)" : std::strerror(error)));
}

// A link is written through, so that it stays a link.
std::filesystem::path resolve(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto resolved = std::filesystem::weakly_canonical(path, ignored);
  return resolved.empty() ? path : resolved;
}

void check_target(const std::filesystem::path& target) {
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_directory(status)) {
    throw DataError(target, "cannot write the file: a folder has this name");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw DataError(target, "cannot write the file: something else than a file has this name");
  }
  const auto folder = target.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    throw DataError(target,
                    fmt::format("cannot write the file: there is no folder {}", folder.string()));
  }
}

// Returns errno, 0 if all went well.
int flush_to_disk(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return error;
}

}  // namespace

ReplacementFile::ReplacementFile(const std::filesystem::path& path) : target_(resolve(path)) {
  check_target(target_);
  temporary_ = target_;
  temporary_ += ".tmp";
  errno = 0;
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_) fail(path, errno);
}

ReplacementFile::~ReplacementFile() {
  if (committed_) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void ReplacementFile::commit() {
  errno = 0;
  const bool written = static_cast<bool>(stream_.flush());
  stream_.close();
  if (!written || !stream_) fail(target_, errno);
  if (const int error = flush_to_disk(temporary_, O_WRONLY); error != 0) fail(target_, error);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, errno);
  committed_ = true;
  // Some file systems cannot flush a folder; the content itself is safe by now.
  const auto folder = target_.parent_path();
  flush_to_disk(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace attend
