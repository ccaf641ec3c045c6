#include "core/utf8.h"

#include <algorithm>

namespace attend::utf8 {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// A well-formed character or a maximal ill-formed part.
struct Part {
  std::size_t length;
  bool well_formed;
};

// Properties of a first byte (Unicode 15, table 3-7): the length of the character (0 if the byte
// cannot be first) and the range of the second byte.
struct Lead {
  std::size_t length = 0;
  unsigned char second_least = 0x80;
  unsigned char second_most = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte >= 0xC2 && byte <= 0xDF) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  if (byte >= 0xF1 && byte <= 0xF3) return {4};
  return {};
}

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

Part part_at(std::string_view text, std::size_t begin) {
  const Lead lead = lead_of(byte_at(text, begin));
  if (lead.length == 0) return {1, false};
  for (std::size_t i = 1; i < lead.length; ++i) {
    const unsigned char least = i == 1 ? lead.second_least : 0x80;
    const unsigned char most = i == 1 ? lead.second_most : 0xBF;
    if (begin + i >= text.size()) return {i, false};
    const unsigned char byte = byte_at(text, begin + i);
    if (byte < least || byte > most) return {i, false};
  }
  return {lead.length, true};
}

// The offset of the first ill-formed part; text.size() if there is none.
std::size_t first_invalid(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Part part = part_at(text, i);
    if (!part.well_formed) return i;
    i += part.length;
  }
  return i;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

char byte_of(char32_t bits) {
  return static_cast<char>(static_cast<unsigned char>(bits));
}

void append(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += byte_of(c);
    return;
  }
  const int following = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  const char32_t mark = following == 1 ? 0xC0 : following == 2 ? 0xE0 : 0xF0;
  text += byte_of(mark | (c >> (6 * following)));
  for (int i = following - 1; i >= 0; --i) text += byte_of(0x80 | ((c >> (6 * i)) & 0x3F));
}

}  // namespace

bool is_valid(std::string_view text) {
  return first_invalid(text) == text.size();
}

std::string replace_invalid(std::string_view text) {
  std::size_t i = first_invalid(text);
  std::string repaired(text.substr(0, i));
  while (i < text.size()) {
    const Part part = part_at(text, i);
    repaired += part.well_formed ? text.substr(i, part.length) : kReplacement;
    i += part.length;
  }
  return repaired;
}

Character first_character(std::string_view text) {
  const Part part = part_at(text, 0);
  if (!part.well_formed) return {U'\uFFFD', part.length};
  if (part.length == 1) return {byte_at(text, 0), 1};
  char32_t code = byte_at(text, 0) & (0x7FU >> part.length);
  for (std::size_t i = 1; i < part.length; ++i) code = (code << 6U) | (byte_at(text, i) & 0x3FU);
  return {code, part.length};
}

std::u32string decode(std::string_view text) {
  std::u32string code_points;
  code_points.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    code_points += next.code;
    text.remove_prefix(next.bytes);
  }
  return code_points;
}

std::string encode(std::u32string_view code_points) {
  std::string text;
  text.reserve(code_points.size());
  for (const char32_t c : code_points) append(text, c);
  return text;
}

std::size_t length(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::vector<Span> word_spans(std::string_view line) {
  std::vector<Span> words;
  std::size_t begin = line.find_first_not_of(' ');
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back({begin, end});
    begin = line.find_first_not_of(' ', end);
  }
  return words;
}

}  // namespace attend::utf8
