#pragma once
#include <string>

#include "align/link_file.h"
#include "data/example_reader.h"
#include "data/options.h"

namespace attend::data {

/// Reads links between words, in Pharaoh's format, side by side with the pairs that they belong to
/// (examples with one source).
class GuideReader {
 public:
  /// `files`: the text, named in messages. Throws DataError if `path` cannot be read.
  GuideReader(const std::string& path, const ExampleFiles& files)
      : links_(path, align::LinkFormat::kPharaoh), files_(files) {}

  /// The links of the next pair. Throws DataError with file, line and column for what is not a link
  /// or lies outside the pair (words are split at ASCII spaces), and with both counts if the file
  /// has fewer lines than the text.
  [[nodiscard]] align::Links next(const Example& pair);

  /// Throws DataError with both counts if there are more lines. Requires: the text is at its end.
  void finish();

 private:
  [[noreturn]] void report_line_counts() const;

  align::LinkReader links_;
  ExampleFiles files_;
};

}  // namespace attend::data
