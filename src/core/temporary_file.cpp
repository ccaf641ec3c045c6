#include "core/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/fault_point.h"

namespace attend {

namespace {

constexpr std::string_view kMark = ".attend-";
constexpr std::string_view kEnd = ".tmp";
constexpr int kMostWriters = 999;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestMark = kMark.size() + 3 + kEnd.size();

std::filesystem::path temporary_name(const std::filesystem::path& target, int writer) {
  const std::string name = target.filename().string().substr(0, kLongestName - kLongestMark);
  return target.parent_path() / fmt::format("{}{}{}{}", name, kMark, writer, kEnd);
}

// True if the open file is a regular file that still has this name.
bool has_name(int descriptor, const std::filesystem::path& file) {
  struct stat opened = {};
  struct stat named = {};
  if (::fstat(descriptor, &opened) != 0 || ::lstat(file.c_str(), &named) != 0) return false;
  return S_ISREG(opened.st_mode) && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// Returns true if the name is free now. Removes the file only while holding its lock and only if it
// still has the name, so a file just created by another process is safe.
bool remove_if_abandoned(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT;
  const bool ours = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && has_name(descriptor, file);
  const bool gone = ours && ::unlink(file.c_str()) == 0;
  ::close(descriptor);
  return gone;
}

// Creates and locks the file. Returns its descriptor, or -1 with errno (EEXIST if the name is
// taken). Another process may remove the file as abandoned between its creation and our lock.
int create_locked(const std::filesystem::path& file, mode_t rights) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, rights);
  if (descriptor < 0) return -1;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const bool cannot_lock = !locked && errno != EWOULDBLOCK;  // some network file systems
  if (cannot_lock || (locked && has_name(descriptor, file))) return descriptor;
  ::close(descriptor);
  errno = EEXIST;
  return -1;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::filesystem::path& target, bool is_private) {
  const mode_t rights = is_private ? 0600 : 0666;
  int error = EEXIST;
  for (int writer = 1; error == EEXIST && writer <= kMostWriters; ++writer) {
    path_ = temporary_name(target, writer);
    error = create(rights);
    if (error == EEXIST && remove_if_abandoned(path_)) error = create(rights);
  }
  if (error != 0) throw std::system_error(error, std::generic_category());
}

int TemporaryFile::create(unsigned rights) {
  descriptor_ = create_locked(path_, rights);
  return descriptor_ < 0 ? errno : 0;
}

TemporaryFile::~TemporaryFile() {
  if (!renamed_ && has_name(descriptor_, path_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

int TemporaryFile::rename_to(const std::filesystem::path& name) {
  if (::rename(path_.c_str(), name.c_str()) != 0) return errno;
  renamed_ = true;
  return 0;
}

std::optional<std::filesystem::path> temporary_target(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos || !name.ends_with(kEnd)) return std::nullopt;
  const std::size_t digits = mark + kMark.size();
  const std::string number = name.substr(digits, name.size() - kEnd.size() - digits);
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  if (mark == 0 || !is_number) return std::nullopt;
  return file.parent_path() / name.substr(0, mark);
}

void remove_leftover(const std::filesystem::path& file) {
  if (const int error = fault_point("remove", file); error != 0) {
    throw DataError(file, "cannot remove the file: " + std::generic_category().message(error));
  }
  static_cast<void>(remove_if_abandoned(file));
}

}  // namespace attend
