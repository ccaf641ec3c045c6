#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// Splits `text` at whitespace as Python's str.split() does, and thus as sacreBLEU counts tokens.
/// Whitespace is the Unicode spaces and separators, U+0085 and the control characters U+0009-000D
/// and U+001C-001F. The views point into `text`. Requires: well-formed UTF-8.
[[nodiscard]] std::vector<std::string_view> split_whitespace(std::string_view text);

/// `text` without whitespace at both ends (Python's str.strip()), or at its end only
/// (str.rstrip()). Requires: well-formed UTF-8.
[[nodiscard]] std::string_view strip(std::string_view text);
[[nodiscard]] std::string_view strip_end(std::string_view text);

/// A code point and the bytes that encode it.
struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

/// The first character of `text`; U+FFFD for ill-formed bytes. Requires: not empty.
[[nodiscard]] Character first_character(std::string_view text);

/// Puts a space on both sides of every character for which `is_separate` returns true.
[[nodiscard]] std::string space_characters(std::string_view line, bool (*is_separate)(char32_t));

/// Converts to lower case as Python's str.lower(), with Unicode's full, locale-independent mapping
/// (Unicode 15, section 3.13) and final sigma. Requires: well-formed UTF-8.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace attend::metrics
