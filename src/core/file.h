#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

/// Reads lines of text from a plain or gzip file (told by its first bytes) or from standard input
/// ("-"). Only LF ends a line. A CR before it and a byte-order mark at the start of the input are
/// dropped. Ill-formed UTF-8 is replaced by U+FFFD and counted. Memory is bounded by the longest
/// line.
class LineReader {
 public:
  /// Throws DataError if `path` is missing, a folder or unreadable.
  explicit LineReader(const std::filesystem::path& path);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// The next line without its end, or nothing at the end. Throws DataError on a read error,
  /// damaged gzip data or a line of more than 64 MiB, which is no text.
  std::optional<std::string> next();

  /// Lines handed out so far: the number (from 1) of the last one.
  [[nodiscard]] int64_t line_number() const;
  /// Lines in which ill-formed UTF-8 was replaced so far, and the number of the first (0: none).
  [[nodiscard]] int64_t repaired_lines() const;
  [[nodiscard]] int64_t first_repaired_line() const;

  /// Bytes of the input read so far, compressed where it is; they may be ahead of the lines.
  [[nodiscard]] int64_t bytes_read() const;
  /// The share of the file that the lines so far make up, 0 .. 1, as nearly as its compression lets
  /// tell; 0 for what is no file, whose length nobody knows.
  [[nodiscard]] double share_read() const;

  /// Whether next() would have to wait for input (a terminal or pipe with nothing to read now).
  [[nodiscard]] bool would_block() const;

  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Logs one warning, with count and first line, if `reader` replaced ill-formed UTF-8.
void warn_about_repairs(const LineReader& reader);
/// The same of `lines` lines of `file`, `first` the number of the first; nothing if there are none.
void warn_about_repairs(const std::filesystem::path& file, int64_t lines, int64_t first);

/// All bytes of a file. Throws DataError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes a file so that it is either the old one or the complete new one: writes beside it,
/// flushes to disk, renames, flushes the folder. `write` fills the stream. Throws DataError,
/// leaving the old file and no temporary one.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Where a command's data goes: "-" (stdout), an open descriptor (/dev/fd/7), a device, or a file
/// that appears under its name only when commit() was called. A closed pipe throws ClosedPipe, and
/// one that nobody reads on throws Stopped once a signal asked for a stop.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws DataError as soon as it shows that something cannot be written.
  void write(std::string_view bytes);
  /// Writes `line` and LF.
  void write_line(std::string_view line);
  void flush();
  /// Flushes and puts the file in place. Throws DataError if anything could not be written.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Standard output was closed by its reader: the program ends quietly with 0.
struct ClosedPipe {};

}  // namespace attend
