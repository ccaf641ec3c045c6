#include "train/saving/readable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace attend::train {
namespace {

/// Reads the file to its end. Returns 0, also for a missing file, or errno.
int reading_error(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return errno == ENOENT ? 0 : errno;
  std::array<char, 1 << 16> bytes{};
  ssize_t count = 1;
  while (count > 0 || (count < 0 && errno == EINTR))
    count = ::read(descriptor, bytes.data(), bytes.size());
  const int error = count < 0 ? errno : 0;
  ::close(descriptor);
  return error;
}

}  // namespace

void check_can_be_read(const std::filesystem::path& file, const std::string& advice) {
  const int error = reading_error(file);
  if (error == 0) return;
  throw ModelFileError(file, fmt::format("cannot read the file: {}; it may be intact, so resume "
                                         "when it can be read, or move it away to {}",
                                         std::strerror(error), advice));
}

}  // namespace attend::train
