#include "metrics/unicode_text.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "core/utf8.h"

namespace attend::metrics {
namespace {

bool is_ascii_space(char c) {
  return c == ' ' || (c >= '\x09' && c <= '\x0d') || (c >= '\x1c' && c <= '\x1f');
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// Last bytes of U+2000-200A, U+2028, U+2029, U+202F (E2 80 xx) and U+205F (E2 81 9F).
bool is_general_punctuation_space(char second, char third) {
  if (second == '\x81') return third == '\x9f';
  if (second != '\x80') return false;
  const auto last = static_cast<unsigned char>(third);
  return last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf;
}

// The length in bytes of a whitespace character at the start of `text`; 0 if there is none.
std::size_t space_length(std::string_view text) {
  if (is_ascii(text[0])) return is_ascii_space(text[0]) ? 1 : 0;
  if (text.starts_with("\u0085") || text.starts_with("\u00a0")) return 2;
  if (text.starts_with("\u1680") || text.starts_with("\u3000")) return 3;
  if (text[0] == '\xe2' && text.size() >= 3 && is_general_punctuation_space(text[1], text[2]))
    return 3;
  return 0;
}

}  // namespace

std::vector<std::string_view> split_whitespace(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t space = space_length(text.substr(i));
    if (space == 0) {
      ++i;
      continue;
    }
    if (i > begin) parts.push_back(text.substr(begin, i - begin));
    i += space;
    begin = i;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

std::string_view strip(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t space = space_length(text.substr(begin));
    if (space == 0) break;
    begin += space;
  }
  return strip_end(text.substr(begin));
}

// Whitespace characters vary in length, so the search for the end of the last word goes forwards.
std::string_view strip_end(std::string_view text) {
  if (text.empty() || (is_ascii(text.back()) && !is_ascii_space(text.back()))) return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t space = space_length(text.substr(i));
    if (space == 0) end = i + 1;
    i += std::max(space, std::size_t{1});
  }
  return text.substr(0, end);
}

Character first_character(std::string_view text) {
  const utf8::Character first = utf8::first_character(text);
  return {first.code, text.substr(0, first.bytes)};
}

std::string space_characters(std::string_view line, bool (*is_separate)(char32_t)) {
  std::string out;
  out.reserve(2 * line.size());
  for (std::string_view rest = line; !rest.empty();) {
    const Character next = first_character(rest);
    const bool separate = is_separate(next.code);
    if (separate) out += ' ';
    out += next.bytes;
    if (separate) out += ' ';
    rest.remove_prefix(next.bytes.size());
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string lower;
  if (std::ranges::all_of(text, is_ascii)) {
    lower.resize(text.size());
    std::ranges::transform(text, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
  }
  const icu::StringPiece piece(text.data(), static_cast<int32_t>(text.size()));
  return icu::UnicodeString::fromUTF8(piece).toLower(icu::Locale::getRoot()).toUTF8String(lower);
}

}  // namespace attend::metrics
