#include "core/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "core/error.h"
#include "core/output_place.h"
#include "core/signal.h"
#include "core/standard_streams.h"

namespace attend {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr unsigned char kGzipMagic[] = {0x1f, 0x8b};
constexpr int kGzipWindowBits = 15 + 16;  // zlib's way to ask for a gzip header and checksum

void throw_if_stopped(const std::string& name) {
  if (const int signal = requested_stop(); signal != 0) {
    throw Stopped(signal, fmt::format("stopped while reading {}", name));
  }
}

// True for "-", and for other names of standard input if it is a pipe or a terminal, which cannot
// be opened again.
bool is_standard_input(const std::filesystem::path& path) {
  if (path == "-") return true;
  struct stat status = {};
  return own_descriptor(path) == STDIN_FILENO && ::fstat(STDIN_FILENO, &status) == 0 &&
         !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int open_for_reading(const std::filesystem::path& path) {
  if (is_standard_input(path)) {
    take_standard_input();
    return STDIN_FILENO;
  }
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  while (descriptor < 0 && errno == EINTR) {  // a named pipe waiting for its writer
    throw_if_stopped(path.string());
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (descriptor < 0) {
    throw DataError(path, fmt::format("cannot open the file: {}", std::strerror(errno)));
  }
  struct stat status = {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw DataError(path, "is a folder; expected a file");
  }
  return descriptor;
}

int64_t size_of_file(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

}  // namespace

InputDescriptor::InputDescriptor(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()),
      descriptor_(open_for_reading(path)),
      size_(size_of_file(descriptor_)) {}

double InputDescriptor::share_read() const {
  if (size_ == 0) return 0.0;
  return std::min(static_cast<double>(bytes_read_) / static_cast<double>(size_), 1.0);
}

InputDescriptor::~InputDescriptor() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::size_t InputDescriptor::read(std::span<char> buffer) {
  while (true) {
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count >= 0) {
      bytes_read_ += count;
      return static_cast<std::size_t>(count);
    }
    if (errno == EAGAIN) {
      wait_for_input();
    } else if (errno != EINTR) {
      throw DataError(name_, fmt::format("cannot read: {}", std::strerror(errno)));
    }
    throw_if_stopped(name_);
  }
}

// Needed only if another process made the descriptor non-blocking.
void InputDescriptor::wait_for_input() const {
  pollfd request = {descriptor_, POLLIN, 0};
  if (::poll(&request, 1, -1) < 0 && errno != EINTR) {
    throw DataError(name_, fmt::format("cannot wait for input: {}", std::strerror(errno)));
  }
}

bool InputDescriptor::would_block() const {
  pollfd request = {descriptor_, POLLIN, 0};
  return ::poll(&request, 1, 0) == 0;
}

ByteSource::ByteSource(const std::filesystem::path& path) : input_(path) {}

ByteSource::~ByteSource() {
  if (inflater_) ::inflateEnd(inflater_.get());
}

bool ByteSource::would_block() const {
  return raw_begin_ == raw_.size() && input_.would_block();
}

std::size_t ByteSource::read(std::span<char> buffer) {
  if (!detected_) detect_format();
  return inflater_ ? read_gzip(buffer) : read_raw(buffer);
}

// Waits for a second byte only if the first one is gzip's: a terminal may have sent an empty line.
void ByteSource::detect_format() {
  detected_ = true;
  if (!refill() || static_cast<unsigned char>(raw_[0]) != kGzipMagic[0]) return;
  while (raw_.size() < std::size(kGzipMagic)) {
    std::string more(kChunk, '\0');
    more.resize(input_.read(more));
    if (more.empty()) return;
    raw_ += more;
  }
  if (static_cast<unsigned char>(raw_[1]) != kGzipMagic[1]) return;
  auto inflater = std::make_unique<z_stream>();
  if (::inflateInit2(inflater.get(), kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  inflater_ = std::move(inflater);
  inside_member_ = true;
}

std::size_t ByteSource::read_raw(std::span<char> buffer) {
  if (raw_begin_ == raw_.size()) return input_.read(buffer);
  const std::size_t count = std::min(buffer.size(), raw_.size() - raw_begin_);
  std::copy_n(raw_.data() + raw_begin_, count, buffer.data());
  raw_begin_ += count;
  return count;
}

// A gzip file is a sequence of members (RFC 1952, section 2.2). Zeros after a member are padding
// (gzip's manual, "Using gzip on tapes").
std::size_t ByteSource::read_gzip(std::span<char> buffer) {
  std::size_t count = 0;
  while (count == 0) {
    if (raw_begin_ == raw_.size() && !refill()) {
      if (inside_member_)
        throw DataError(name(), "the gzip data ends too early; the file may be truncated");
      return 0;
    }
    if (!inside_member_ && !start_member()) continue;
    inflater_->next_in = reinterpret_cast<Bytef*>(raw_.data() + raw_begin_);
    inflater_->avail_in = static_cast<uInt>(raw_.size() - raw_begin_);
    inflater_->next_out = reinterpret_cast<Bytef*>(buffer.data());
    inflater_->avail_out = static_cast<uInt>(buffer.size());
    const int status = ::inflate(inflater_.get(), Z_NO_FLUSH);
    raw_begin_ = raw_.size() - inflater_->avail_in;
    count = buffer.size() - inflater_->avail_out;
    if (status == Z_STREAM_END) {
      inside_member_ = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError(name(), fmt::format("damaged gzip data: {}",
                                          inflater_->msg ? inflater_->msg : "unknown cause"));
    }
  }
  return count;
}

bool ByteSource::refill() {
  raw_.resize(kChunk);
  raw_begin_ = 0;
  raw_.resize(input_.read(raw_));
  return !raw_.empty();
}

bool ByteSource::start_member() {
  raw_begin_ = std::min(raw_.find_first_not_of('\0', raw_begin_), raw_.size());
  inside_member_ = raw_begin_ < raw_.size();
  if (inside_member_) ::inflateReset(inflater_.get());
  return inside_member_;
}

}  // namespace attend
