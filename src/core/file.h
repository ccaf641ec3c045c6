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

/// Reads lines of text from a plain or gzip file (detected by its first bytes) or from standard
/// input ("-"). Only LF ends a line. A CR before the LF and a byte-order mark at the start of the
/// input are dropped. Ill-formed UTF-8 is replaced by U+FFFD and counted. Memory use is bounded by
/// the longest line.
class LineReader {
 public:
  /// Throws DataError if `path` is missing, a folder or unreadable.
  explicit LineReader(const std::filesystem::path& path);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// The next line without its line end, or nothing at the end of the input. Throws DataError on a
  /// read error, damaged gzip data, a line of more than 64 MiB, and if the input begins like an
  /// archive, a document or UTF-16 (foreign_format()). Waiting for a pipe or terminal throws
  /// Stopped once a signal requests a stop.
  std::optional<std::string> next();

  /// The end of the last line returned: "\n", "\r\n", or "" if the input ends without LF.
  [[nodiscard]] std::string_view line_end() const;
  /// Number of lines returned so far, which is also the number (from 1) of the last line returned.
  [[nodiscard]] int64_t line_number() const;
  /// The number of lines repaired so far (ill-formed UTF-8 replaced).
  [[nodiscard]] int64_t repaired_lines() const;
  /// The number (from 1) of the first repaired line; 0 if there is none.
  [[nodiscard]] int64_t first_repaired_line() const;

  /// Bytes of the input read so far, compressed if it is gzip. Buffering reads ahead of the lines.
  [[nodiscard]] int64_t bytes_read() const;
  /// The fraction of the file that the lines returned so far cover, 0 .. 1; approximate for gzip.
  /// 0 if the input has no known length (a pipe).
  [[nodiscard]] double share_read() const;

  /// True if next() would wait for input (an idle terminal or pipe).
  [[nodiscard]] bool would_block() const;

  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Logs one warning, with the count and the first line, if `reader` replaced ill-formed UTF-8.
void warn_about_repairs(const LineReader& reader);
/// Logs that ill-formed UTF-8 was replaced in `lines` lines of `file`, the first of which is line
/// `first`. Logs nothing if `lines` is 0.
void warn_about_repairs(const std::filesystem::path& file, int64_t lines, int64_t first);

/// Returns all bytes of a file. Throws DataError if the file cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes a file atomically: a crash leaves either the old file or the complete new one. Writes a
/// temporary file in the same folder, flushes it to disk, renames it and flushes the folder.
/// `write` fills the stream. Throws DataError on failure, keeping the old file and removing the
/// temporary one.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The destination of a command's data: standard output ("-"), an open descriptor (/dev/fd/7), a
/// device, or a file that appears under its name only after commit(). Writing to a closed pipe
/// throws ClosedPipe. Waiting for a full pipe throws Stopped once a signal requests a stop.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws DataError as soon as a write fails.
  void write(std::string_view bytes);
  /// Writes `line` and LF.
  void write_line(std::string_view line);
  void flush();
  /// Flushes and moves the file to its final name. Throws DataError if any write failed.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Thrown when the reader closes the pipe. The program then exits silently with code 0.
struct ClosedPipe {};

}  // namespace attend
