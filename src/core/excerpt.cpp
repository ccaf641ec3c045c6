#include "core/excerpt.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/utf8.h"

namespace attend {

namespace {

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

// True for bidirectional embeddings, overrides and isolates (Unicode 15, table 23-2).
bool turns_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string escaped(char32_t c) {
  if (c == U'\n') return "\\n";
  if (c == U'\t') return "\\t";
  if (is_control(c)) return fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
  if (turns_direction(c)) return fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
  return utf8::encode(std::u32string(1, c));
}

}  // namespace

std::string excerpt(std::string_view text, std::size_t most) {
  constexpr std::size_t kLongestCharacter = 4;
  std::u32string shown =
      utf8::decode(utf8::replace_invalid(text.substr(0, most * kLongestCharacter)));
  const bool cut = text.size() > most * kLongestCharacter || shown.size() > most;
  if (shown.size() > most) shown.resize(most);
  for (char32_t& c : shown) {
    if (is_control(c) && c != U'\t') c = U'?';
  }
  return utf8::encode(shown) + (cut ? "..." : "");
}

std::string escape_controls(std::string_view text) {
  std::string shown;
  for (const char32_t c : utf8::decode(utf8::replace_invalid(text))) shown += escaped(c);
  return shown;
}

}  // namespace attend
