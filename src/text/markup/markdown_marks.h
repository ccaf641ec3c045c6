#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "text/markup/marked_line.h"

namespace attend::text {

/// A part of a Markdown line that is a tag.
struct MarkdownMark {
  std::size_t bytes = 0;
  TagRole role = TagRole::kSingle;
  std::string element = {};  ///< the same for the two marks of an element
  bool separates = false;
  bool needs_text = false;
};

/// Marks by their first byte in the line. They do not overlap.
using MarkdownMarks = std::map<std::size_t, MarkdownMark>;

/// Finds emphasis (CommonMark 0.31, section 6.2), strikethrough, links and images, code, URLs and
/// footnotes from byte `begin` of a line on, and the bars of a table row. HTML and backslashes are
/// skipped, but not returned. Requires: well-formed UTF-8.
[[nodiscard]] MarkdownMarks find_markdown_marks(std::string_view line, std::size_t begin);

/// True if `text` begins with a backslash that escapes the next character.
[[nodiscard]] bool is_markdown_escape(std::string_view text);

}  // namespace attend::text
