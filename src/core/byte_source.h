#pragma once
#include <sys/types.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace attend {

/// An open file descriptor for reading, closed at the end unless it is standard input.
class InputDescriptor {
 public:
  /// "-" is standard input. Throws DataError if `path` is missing, a folder or unreadable, and
  /// UsageError if it is standard input and that was taken before (take_standard_input()).
  explicit InputDescriptor(const std::filesystem::path& path);
  ~InputDescriptor();
  InputDescriptor(const InputDescriptor&) = delete;
  InputDescriptor& operator=(const InputDescriptor&) = delete;

  /// Waits for and reads at least one byte; 0 at the end. Throws DataError, and Stopped if a signal
  /// asked for that while waiting.
  std::size_t read(std::span<char> buffer);
  /// Whether read() would wait.
  [[nodiscard]] bool would_block() const;
  /// The path, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// So far.
  [[nodiscard]] int64_t bytes_read() const { return bytes_read_; }
  /// The same as a share of the file, 0 .. 1; 0 where nobody knows how long the input is.
  [[nodiscard]] double share_read() const;

 private:
  void wait_for_input() const;

  std::string name_;
  int descriptor_;
  int64_t size_;  // bytes; 0: nobody knows
  int64_t bytes_read_ = 0;
};

/// The bytes of a plain or gzip input (told by its first two bytes), uncompressed.
class ByteSource {
 public:
  explicit ByteSource(const std::filesystem::path& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads at least one byte; 0 at the end. Throws DataError on a read error or damaged gzip data.
  std::size_t read(std::span<char> buffer);
  [[nodiscard]] bool would_block() const;
  [[nodiscard]] const std::string& name() const { return input_.name(); }
  /// Of the input as it is, which may be compressed.
  [[nodiscard]] int64_t bytes_read() const { return input_.bytes_read(); }
  [[nodiscard]] double share_read() const { return input_.share_read(); }

 private:
  void detect_format();
  std::size_t read_raw(std::span<char> buffer);
  std::size_t read_gzip(std::span<char> buffer);
  bool refill();
  /// Of the bytes read from the input; false where they are zeros alone, which it leaves out.
  bool start_member();

  InputDescriptor input_;
  std::string raw_;            // bytes read from the input
  std::size_t raw_begin_ = 0;  // those before it were handed on
  bool detected_ = false;
  std::unique_ptr<z_stream> inflater_;  // null for plain input
  bool inside_member_ = false;
};

}  // namespace attend
