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

// The descriptor that a path names; standard output for "-" and the empty path.
std::optional<int> named_descriptor(const std::filesystem::path& path) {
  if (path.empty() || path == "-") return STDOUT_FILENO;
  return own_descriptor(path);
}

// Devices and pipes (/dev/null, process substitution) are written directly, because a rename cannot
// replace them. ReplacementFile rejects folders.
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

// Without O_NONBLOCK, opening a pipe without a reader would wait forever; with it, open() fails
// (ENXIO).
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

  // Writes at most PIPE_BUF bytes at a time, which a ready pipe takes without blocking.
  void drain() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      wait_for_room();
      const ssize_t count =
          ::write(descriptor, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) throw_write_error(errno);
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer.clear();
  }

  // Ignores errors of the descriptor, which write() reports. After a stop request, gives up if the
  // reader takes nothing for a moment; an active reader still gets all lines.
  void wait_for_room() {
    constexpr int kPollInterval = 200;  // ms
    pollfd request = {descriptor, POLLOUT, 0};
    int ready = ::poll(&request, 1, kPollInterval);
    while (ready == 0 || (ready < 0 && errno == EINTR)) {
      if (ready == 0 && requested_stop() != 0) throw_stopped();
      ready = ::poll(&request, 1, kPollInterval);
    }
  }

  [[noreturn]] void throw_stopped() {
    buffer.clear();
    throw Stopped(requested_stop(), fmt::format("stopped while waiting to write to {}", name));
  }

  [[noreturn]] void throw_write_error(int error) {
    buffer.clear();
    if (error == EPIPE) throw ClosedPipe{};
    throw DataError(name, fmt::format("cannot write: {}", std::strerror(error)));
  }

  std::string name;
  std::string buffer;                   // bytes not yet written to the descriptor
  int descriptor = -1;                  // an open descriptor, a device or a pipe
  std::optional<ReplacementFile> file;  // set if there is no descriptor
};

OutputFile::OutputFile(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}

// After an error, still passes the lines written so far to the reader of a pipe.
OutputFile::~OutputFile() {
  if (impl_->file) return;
  try {
    impl_->drain();
  } catch (...) {  // a destructor must not throw; commit() reports errors
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
