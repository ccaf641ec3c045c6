#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/sentences.h"

namespace attend::text {

/// A line of a document. Everything outside of its sentences stays as it is: indentation, marks of
/// lists, headings and quotations, blanks, and parts without letters.
struct DocumentLine {
  std::string text;
  std::vector<utf8::Span> sentences;  ///< in order; each has a letter and no blanks around it

  [[nodiscard]] std::string_view sentence(std::size_t index) const;
};

/// The length in bytes of indentation and marks at the start of a line: "> ", "# " to "###### ",
/// bullets ("- ", "* ", "• "), at most one number or letter ("1. ", "2.1. ", "(3) ", "a) ", "iv) ",
/// "1、"), and a box ("[x] "). Requires: well-formed UTF-8.
[[nodiscard]] std::size_t leading_marks(std::string_view line);

/// Cuts a line into sentences; its leading_marks() are outside of them. Requires: well-formed
/// UTF-8.
[[nodiscard]] DocumentLine cut_line(std::string line, const SentenceSplitter& splitter);

/// Replaces each sentence of the line by its translation. Keeps the blanks between sentences, with
/// two exceptions: spaces are dropped if only the translation is Chinese or Japanese, and a space
/// is added if only the source is. With the sentences themselves as translations, returns the
/// original line. Requires: one translation for each sentence.
[[nodiscard]] std::string join_line(const DocumentLine& line,
                                    const std::vector<std::string>& translations);

}  // namespace attend::text
