#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "text/markup/marked_line.h"

namespace attend::text {

/// Finds the tags of a text, line by line. A comment, a tag or an element that is not translated
/// may span several lines.
class MarkupReader {
 public:
  virtual ~MarkupReader() = default;
  /// Reads the next line. Requires: well-formed UTF-8 without line feeds.
  virtual MarkedLine read(std::string line) = 0;
  /// The mark that the lines so far have left open, so that the next line begins inside of it
  /// ("<!--", "<script>", "```"); empty if there is none.
  [[nodiscard]] virtual std::string open_part() const = 0;
};

/// XML: what is between tags is text, except for comments, CDATA, processing instructions,
/// declarations, the content of elements named code, kbd, pre, samp, script, style, textarea and
/// var, and of elements with translate="no" or class="notranslate". A closing tag directly before
/// an opening one separates texts.
///
/// HTML: the same, with upper and lower case alike and void elements (<br>); the tags of blocks
/// (<p>, <td>) and <br> separate texts.
///
/// Markdown (CommonMark, with tables and strikethrough of GitHub): marks at the beginning of a line
/// and table bars separate texts; emphasis, links, images and HTML tags are tags; code, URLs,
/// fences with the code between them, and definitions of links are not translated.
[[nodiscard]] std::unique_ptr<MarkupReader> make_markup_reader(Markup markup);

/// Escapes `text` so that a reader of this markup gives the same text.
[[nodiscard]] std::string escape_markup(std::string_view text, Markup markup);

}  // namespace attend::text
