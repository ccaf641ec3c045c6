#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "data/example_reader.h"
#include "data/options.h"

namespace attend::data {

/// A line and its translation.
struct LinePair {
  std::string source;
  std::string target;
};

/// Reads a source and a target file in parallel, line by line.
class PairReader {
 public:
  /// Throws DataError if a file cannot be read.
  explicit PairReader(const PairFiles& files) : reader_(files) {}

  /// Returns the next pair, or nothing at the end. Throws DataError, with both files and both
  /// counts, if the files differ in line count.
  std::optional<LinePair> next();

  /// Number (from 1) of the pair that next() returned last.
  [[nodiscard]] int64_t line_number() const { return reader_.line_number(); }

  /// The share of the target file that has been read (LineReader::share_read()).
  [[nodiscard]] double share_read() const { return reader_.share_read(); }

  /// Logs a warning for each file in which ill-formed UTF-8 was replaced.
  void warn_about_repairs() const { data::warn_about_repairs(reader_.repairs()); }

 private:
  ExampleReader reader_;
};

}  // namespace attend::data
