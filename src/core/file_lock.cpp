#include "core/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/log.h"

namespace attend {

namespace {

// Uses flock(), not fcntl(): an fcntl lock ends when any descriptor of the file is closed and does
// not exclude other code of the same process. Returns 0 if the lock was taken, otherwise errno.
// lock_holder() takes a shared lock for a moment without becoming the holder. So if a shared lock
// is possible where the exclusive one failed, tries the exclusive one again.
int lock_at_once(int descriptor, int how) {
  while (::flock(descriptor, how | LOCK_NB) != 0) {
    const int error = errno;
    const bool is_shared =
        error == EWOULDBLOCK && how == LOCK_EX && ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    if (error != EINTR && !is_shared) return error;
  }
  return 0;
}

// The previous holder may remove the file between our open() and our lock.
bool is_still_at(int descriptor, const std::filesystem::path& file) {
  struct stat locked = {};
  struct stat named = {};
  return ::fstat(descriptor, &locked) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

bool is_regular(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// The folder may come from another user. A link with the name of the lock could point to any file,
// which would be overwritten, and opening a pipe or a device could block forever. Returns -1 with
// errno, which is ELOOP for a link.
int open_lock(const std::filesystem::path& file, int how) {
  return ::open(file.c_str(), how | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
}

[[noreturn]] void refuse_as_lock(const std::filesystem::path& file) {
  throw DataError(file,
                  "is a link, a pipe or a device, but a lock is a plain file; remove it if nothing "
                  "else needs it");
}

// True if the file is empty or has a process id: a killed process may have left it. A file with
// other content is not ours.
bool is_lock_of_a_process(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  return count >= 0 && std::all_of(text.begin(), text.begin() + count,
                                   [](char c) { return c == '\n' || (c >= '0' && c <= '9'); });
}

// The id is used only in messages, so write errors are ignored.
void write_process_id(int descriptor) {
  const std::string text = fmt::format("{}\n", ::getpid());
  [[maybe_unused]] const int emptied = ::ftruncate(descriptor, 0);
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
}

int64_t read_process_id(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  int64_t process = 0;
  if (count > 0) std::from_chars(text.data(), text.data() + count, process);
  return process;
}

}  // namespace

FileLock::FileLock(std::filesystem::path file) : file_(std::move(file)) {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  // Remove while still locked; otherwise this could remove the next holder's file.
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  ::close(descriptor_);
}

bool FileLock::take() {
  Outcome outcome = Outcome::kAgain;
  while (outcome == Outcome::kAgain) outcome = try_once();
  return outcome == Outcome::kTaken;
}

FileLock::Outcome FileLock::try_once() {
  const int descriptor = open_lock(file_, O_RDWR | O_CREAT);
  if (descriptor < 0 && errno == ELOOP) refuse_as_lock(file_);
  if (descriptor < 0) {
    throw DataError(file_, fmt::format("cannot create the file: {}", std::strerror(errno)));
  }
  if (!is_regular(descriptor)) {
    ::close(descriptor);
    refuse_as_lock(file_);
  }
  const int error = lock_at_once(descriptor, LOCK_EX);
  const bool held = error == EWOULDBLOCK;
  if (held || !is_still_at(descriptor, file_)) {
    ::close(descriptor);
    return held ? Outcome::kHeld : Outcome::kAgain;
  }
  if (!is_lock_of_a_process(descriptor)) {
    ::close(descriptor);
    throw DataError(file_,
                    "is not a lock, and a lock of this name is needed; move it away to keep it");
  }
  if (error != 0) {
    log::warning(
        "{}: cannot lock the file ({}); make sure that no other program writes to this folder",
        file_.string(), std::strerror(error));
  }
  write_process_id(descriptor);
  descriptor_ = descriptor;
  return Outcome::kTaken;
}

std::optional<int64_t> lock_holder(const std::filesystem::path& file) {
  const int descriptor = open_lock(file, O_RDONLY);
  if (descriptor < 0) return std::nullopt;
  std::optional<int64_t> holder;
  if (is_regular(descriptor) && lock_at_once(descriptor, LOCK_SH) == EWOULDBLOCK)
    holder = read_process_id(descriptor);
  ::close(descriptor);
  return holder;
}

}  // namespace attend
