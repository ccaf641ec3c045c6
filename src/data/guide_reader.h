#pragma once
#include <string>
#include <utility>

#include "align/link_file.h"
#include "data/example_reader.h"
#include "data/options.h"

namespace attend::data {

/// Reads word links in Pharaoh format along with their line pairs (examples with one source).
class GuideReader {
 public:
  /// `files`: the training text, named in messages. Throws DataError if `path` cannot be read.
  GuideReader(const std::string& path, ExampleFiles files)
      : links_(path, align::LinkFormat::kPharaoh), files_(std::move(files)) {}

  /// Returns the links of the next pair. Throws DataError: with file, line and column if a link is
  /// malformed or lies outside the pair (words are split at ASCII spaces); with both line counts if
  /// the file has fewer lines than the text.
  [[nodiscard]] align::Links next(const Example& pair);

  /// Throws DataError, with both line counts, if the file has more lines. Requires: the text is at
  /// its end.
  void finish();

 private:
  [[noreturn]] void report_line_counts() const;

  align::LinkReader links_;
  ExampleFiles files_;
};

}  // namespace attend::data
