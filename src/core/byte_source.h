#pragma once
#include <sys/types.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace attend {

/// A file descriptor open for reading. The destructor closes it unless it is standard input.
class InputDescriptor {
 public:
  /// "-" is standard input. Throws DataError if `path` is missing, a folder or unreadable, and
  /// UsageError if standard input is already claimed (take_standard_input()).
  explicit InputDescriptor(const std::filesystem::path& path);
  ~InputDescriptor();
  InputDescriptor(const InputDescriptor&) = delete;
  InputDescriptor& operator=(const InputDescriptor&) = delete;

  /// Waits for at least one byte and returns the number of bytes read; 0 at the end. Throws
  /// DataError on a read error, and Stopped if a signal requests a stop during the wait.
  std::size_t read(std::span<char> buffer);
  /// True if read() would wait.
  [[nodiscard]] bool would_block() const;
  /// The path, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int64_t bytes_read() const { return bytes_read_; }
  /// The fraction of the file read so far, 0 .. 1; 0 if the input has no known length (a pipe).
  [[nodiscard]] double share_read() const;

 private:
  void wait_for_input() const;

  std::string name_;
  int descriptor_;
  int64_t size_;  // bytes; 0 if unknown
  int64_t bytes_read_ = 0;
};

/// The uncompressed bytes of a plain or gzip input. The first two bytes tell which it is.
class ByteSource {
 public:
  explicit ByteSource(const std::filesystem::path& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads at least one byte and returns the number of bytes; 0 at the end. Throws DataError on a
  /// read error or damaged gzip data.
  std::size_t read(std::span<char> buffer);
  [[nodiscard]] bool would_block() const;
  [[nodiscard]] const std::string& name() const { return input_.name(); }
  /// True if read() has found gzip data.
  [[nodiscard]] bool is_gzip() const { return inflater_ != nullptr; }
  /// Bytes of the input as stored, compressed if it is gzip.
  [[nodiscard]] int64_t bytes_read() const { return input_.bytes_read(); }
  [[nodiscard]] double share_read() const { return input_.share_read(); }

 private:
  void detect_format();
  std::size_t read_raw(std::span<char> buffer);
  std::size_t read_gzip(std::span<char> buffer);
  bool refill();
  /// Skips zero padding. Returns false if the buffer has nothing else; otherwise begins a gzip
  /// member.
  bool start_member();

  InputDescriptor input_;
  std::string raw_;            // bytes read from the input
  std::size_t raw_begin_ = 0;  // bytes of raw_ already consumed
  bool detected_ = false;
  std::unique_ptr<z_stream> inflater_;  // null for plain input
  bool inside_member_ = false;
};

}  // namespace attend
