#include "core/excerpt.h"

#include "core/utf8.h"

namespace attend {

std::string excerpt(std::string_view text, std::size_t most) {
  constexpr std::size_t kLongestCharacter = 4;
  std::u32string shown =
      utf8::decode(utf8::replace_invalid(text.substr(0, most * kLongestCharacter)));
  const bool cut = text.size() > most * kLongestCharacter || shown.size() > most;
  if (shown.size() > most) shown.resize(most);
  for (char32_t& c : shown) {
    if ((c < 0x20 && c != U'\t') || (c >= 0x7F && c < 0xA0)) c = U'?';
  }
  return utf8::encode(shown) + (cut ? "..." : "");
}

}  // namespace attend
