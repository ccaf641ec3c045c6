#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/output_place.h"
#include "core/replacement_file.h"
#include "core/signal.h"

namespace attend {

namespace {

constexpr std::size_t kDrainSize = std::size_t{1} << 16;

// The descriptor that a path names: standard output for "-" and nothing at all.
std::optional<int> named_descriptor(const std::filesystem::path& path) {
  if (path.empty() || path == "-") return STDOUT_FILENO;
  return own_descriptor(path);
}

// Devices and pipes (/dev/null, process substitution) cannot be replaced by a rename: they are
// written as they are. Folders are refused elsewhere.
bool is_written_in_place(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int duplicate(int descriptor, const std::filesystem::path& path) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (own < 0) throw DataError(path, fmt::format("cannot write: {}", std::strerror(errno)));
  return own;
}

// O_NONBLOCK makes a pipe that nobody reads an error (ENXIO) instead of an endless wait.
int open_in_place(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    throw DataError(path, fmt::format("cannot write: {}", std::strerror(errno)));
  }
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

}  // namespace

struct OutputFile::Impl {
  explicit Impl(const std::filesystem::path& path) {
    const std::optional<int> named = named_descriptor(path);
    name = named == STDOUT_FILENO ? "standard output" : path.string();
    if (named) {
      descriptor = *named == STDOUT_FILENO ? *named : duplicate(*named, path);
    } else if (is_written_in_place(path)) {
      descriptor = open_in_place(path);
    } else {
      file.emplace(path);
    }
  }

  // No more at once than a pipe with room takes without waiting.
  void drain() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      wait_for_room();
      const ssize_t count =
          ::write(descriptor, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) give_up(errno);
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer.clear();
  }

  // What is wrong with the descriptor, writing tells. After a signal a reader who takes nothing is
  // not waited for: who reads on gets all lines, who has stopped must not keep the program from it.
  void wait_for_room() {
    constexpr int kMoment = 200;  // ms
    pollfd request = {descriptor, POLLOUT, 0};
    int ready = ::poll(&request, 1, kMoment);
    while (ready == 0 || (ready < 0 && errno == EINTR)) {
      if (ready == 0 && requested_stop() != 0) give_up_waiting();
      ready = ::poll(&request, 1, kMoment);
    }
  }

  [[noreturn]] void give_up_waiting() {
    buffer.clear();
    throw Stopped(requested_stop(), fmt::format("stopped while {} took no more", name));
  }

  [[noreturn]] void give_up(int error) {
    buffer.clear();
    if (error == EPIPE) throw ClosedPipe{};
    throw DataError(name, fmt::format("cannot write: {}", std::strerror(error)));
  }

  std::string name;
  std::string buffer;                   // what the descriptor has not got yet
  int descriptor = -1;                  // of an open file, a device or a pipe
  std::optional<ReplacementFile> file;  // anything else
};

OutputFile::OutputFile(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}

// Lines that were written before something went wrong still belong to the reader of a pipe.
OutputFile::~OutputFile() {
  if (impl_->file) return;
  try {
    impl_->drain();
  } catch (...) {  // a destructor has nobody to tell; commit() is what reports
  }
  if (impl_->descriptor != STDOUT_FILENO) ::close(impl_->descriptor);
}

void OutputFile::write(std::string_view bytes) {
  if (impl_->file) {
    impl_->file->stream() << bytes;
    impl_->file->check();
    return;
  }
  impl_->buffer += bytes;
  if (impl_->buffer.size() >= kDrainSize) impl_->drain();
}

void OutputFile::write_line(std::string_view line) {
  write(line);
  write("\n");
}

void OutputFile::flush() {
  if (impl_->file) {
    impl_->file->stream().flush();
    impl_->file->check();
  } else {
    impl_->drain();
  }
}

void OutputFile::commit() {
  if (impl_->file) {
    impl_->file->commit();
  } else {
    impl_->drain();
  }
}

}  // namespace attend
