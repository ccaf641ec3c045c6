#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "text/markup/marked_line.h"

namespace attend::text {

/// The kinds of marks that a "<" can begin.
struct AngleMark {
  enum class Kind {
    kText,     ///< nothing: the "<" is a character of the text
    kOpen,     ///< <b>
    kClose,    ///< </b>
    kEmpty,    ///< <br/>
    kSpecial,  ///< a comment, CDATA, a processing instruction or a declaration
  };
  Kind kind = Kind::kText;
  std::size_t bytes = 0;  ///< of the mark; of the rest of the text if it does not end there
  std::string name = {};  ///< of a tag; lower case in HTML
  /// The text that ends the mark on a later line; empty if the mark ends on this one.
  std::string end = {};
  char quote = '\0';  ///< the quote that is open at the end of an unfinished tag; 0: none

  [[nodiscard]] bool is_finished() const { return end.empty(); }
};

/// Reads the mark at the beginning of `text`, which is "<". A tag has a name right after "<" or
/// "</". It may continue on the next line if it has a "=", or if it is only a name and begins the
/// line (`begins_line`: only blanks precede it). In XML, any text after the name must have a "=",
/// so that "a <b and c> d" is text. `markup`: xml or html.
[[nodiscard]] AngleMark read_angle_mark(std::string_view text, Markup markup, bool begins_line);

/// The length of `text` up to the end of an unfinished tag. If the tag does not end there, returns
/// npos and sets `quote`, the quote that is open. A "<" outside of quotes ends the tag as well.
[[nodiscard]] std::size_t end_of_tag(std::string_view text, char& quote);

}  // namespace attend::text
