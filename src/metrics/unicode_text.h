#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// The parts of `text` between whitespace, where whitespace is what Python's str.split() takes for
/// it: the Unicode spaces and separators, U+0085 and the control characters U+0009-000D and
/// U+001C-001F. sacreBLEU counts tokens so. The views point into `text`. Requires: well-formed
/// UTF-8.
[[nodiscard]] std::vector<std::string_view> split_whitespace(std::string_view text);

/// `text` without that whitespace at both ends, as Python's str.strip(), or at its end only, as
/// str.rstrip(). Requires: well-formed UTF-8.
[[nodiscard]] std::string_view strip(std::string_view text);
[[nodiscard]] std::string_view strip_end(std::string_view text);

/// A code point and the bytes that encode it.
struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

/// The first character of `text`, U+FFFD for bytes that are none. Requires: not empty.
[[nodiscard]] Character first_character(std::string_view text);

/// `line` with a space on both sides of every character for which `is_separate` holds.
[[nodiscard]] std::string space_characters(std::string_view line, bool (*is_separate)(char32_t));

/// Lower case by Unicode's full, locale-independent mapping (Unicode 15, section 3.13), final sigma
/// included, as Python's str.lower(). Requires: well-formed UTF-8.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace attend::metrics
