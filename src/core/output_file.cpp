#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/replacement_file.h"

namespace attend {

namespace {

constexpr std::size_t kDrainSize = std::size_t{1} << 16;

bool is_stdout(const std::filesystem::path& path) {
  return path.empty() || path == "-";
}

// Devices and pipes (/dev/null, process substitution) cannot be replaced by a rename: they are
// written as they are.
bool is_device_or_pipe(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode);
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
  explicit Impl(const std::filesystem::path& path)
      : name(is_stdout(path) ? "standard output" : path.string()) {
    if (is_stdout(path)) {
      descriptor = STDOUT_FILENO;
    } else if (is_device_or_pipe(path)) {
      descriptor = open_in_place(path);
    } else {
      file.emplace(path);
    }
  }

  void drain() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const ssize_t count = ::write(descriptor, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) give_up(errno);
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer.clear();
  }

  [[noreturn]] void give_up(int error) {
    buffer.clear();
    if (error == EPIPE) throw ClosedPipe{};
    throw DataError(name, fmt::format("cannot write: {}", std::strerror(error)));
  }

  std::string name;
  std::string buffer;                   // what the descriptor has not got yet
  int descriptor = -1;                  // of standard output, a device or a pipe
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
