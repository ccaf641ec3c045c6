#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attend::utf8 {

/// True if `text` is well-formed UTF-8 (no surrogates, no overlong forms, nothing past U+10FFFF).
[[nodiscard]] bool is_valid(std::string_view text);

/// `text` with every maximal ill-formed part replaced by U+FFFD (Unicode 15, section 3.9,
/// "substitution of maximal subparts"). Well-formed text comes back unchanged.
[[nodiscard]] std::string replace_invalid(std::string_view text);

/// A code point and the number of bytes that encode it.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

/// The first character of `text`; U+FFFD for an ill-formed part, as in replace_invalid(). Never
/// reads past the end of `text`. Requires: not empty.
[[nodiscard]] Character first_character(std::string_view text);

/// True if `code` is a noncharacter (Unicode 15, section 23.7).
[[nodiscard]] constexpr bool is_noncharacter(char32_t code) {
  return (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

/// The code points of replace_invalid(text).
[[nodiscard]] std::u32string decode(std::string_view text);
[[nodiscard]] std::string encode(std::u32string_view code_points);

/// Number of code points. Requires: is_valid(text).
[[nodiscard]] std::size_t length(std::string_view text);

/// A part of a line: bytes [begin, end).
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Span&) const = default;
};

/// The words of a line, split at runs of ASCII spaces. The positions of Pharaoh links are indices
/// into this list.
[[nodiscard]] std::vector<Span> word_spans(std::string_view line);

}  // namespace attend::utf8
