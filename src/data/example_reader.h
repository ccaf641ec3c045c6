#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/file.h"
#include "data/options.h"

namespace attend::data {

/// One line of each source, in the order of the files, and their common translation.
struct Example {
  std::vector<std::string> sources;
  std::string target;

  /// Bytes of text.
  [[nodiscard]] std::size_t bytes() const;
};

/// The lines of a file in which ill-formed UTF-8 was replaced.
struct Repairs {
  std::string file;
  int64_t lines = 0;
  int64_t first = 0;  ///< number of the first such line, from 1
};

/// Logs one warning for each file.
void warn_about_repairs(const std::vector<Repairs>& repairs);

/// Reads the files of a text in parallel, line by line.
class ExampleReader {
 public:
  /// Throws DataError if a file cannot be read.
  explicit ExampleReader(const ExampleFiles& files);

  /// Returns the next example, or nothing at the end. Throws DataError, with both files and both
  /// counts, if the files differ in line count.
  std::optional<Example> next();

  /// Number (from 1) of the example that next() returned last.
  [[nodiscard]] int64_t line_number() const { return target_.line_number(); }

  /// Bytes read so far from all files; compressed bytes for compressed files.
  [[nodiscard]] int64_t bytes_read() const;
  /// The share of the target file that has been read (LineReader::share_read()).
  [[nodiscard]] double share_read() const { return target_.share_read(); }

  /// The lines whose UTF-8 was replaced so far, for each file that has any.
  [[nodiscard]] std::vector<Repairs> repairs() const;

  /// Throws DataError if more than half of the lines read from a file were not UTF-8: training on
  /// text in another encoding teaches nothing.
  void check_encoding() const;

 private:
  [[noreturn]] void report_line_counts();

  std::vector<LineReader> sources_;
  LineReader target_;
};

}  // namespace attend::data
