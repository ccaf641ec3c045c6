#pragma once
#include <cstddef>
#include <string_view>

#include "core/utf8.h"

namespace attend::text {

/// The last character of `text`. Requires: well-formed UTF-8, not empty.
[[nodiscard]] utf8::Character last_character(std::string_view text);

/// Unicode's White_Space.
[[nodiscard]] bool is_blank(char32_t code);
/// A letter, or an ideograph.
[[nodiscard]] bool is_letter(char32_t code);
/// Quotes and opening or closing brackets of all scripts.
[[nodiscard]] bool is_bracket_or_quote(char32_t code);
/// Han, kana and the punctuation that is written with them, which have no blanks between sentences.
[[nodiscard]] bool is_written_without_blanks(char32_t code);

/// The text of a part of a line.
[[nodiscard]] inline std::string_view text_of(std::string_view line, const utf8::Span& span) {
  return line.substr(span.begin, span.end - span.begin);
}

/// `span` without the blanks at both ends of its text. If the text has only blanks, an empty span
/// at the end of `span`.
[[nodiscard]] utf8::Span trimmed(std::string_view text, utf8::Span span);

/// True if `text` has a letter.
[[nodiscard]] bool has_letter(std::string_view text);

}  // namespace attend::text
