#include "text/changed_character.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/utf8.h"
#include "text/characters.h"
#include "text/vocabulary.h"

namespace attend::text {
namespace {

/// `text` case-folded, without the characters that first_changed_character() ignores.
std::u32string compared_characters(std::string_view text) {
  constexpr char32_t kNonJoiner = 0x200C;
  std::u32string compared;
  for (const char32_t code : utf8::decode(text)) {
    if (is_blank(code) || code == kNonJoiner) continue;
    compared.push_back(
        static_cast<char32_t>(u_foldCase(static_cast<UChar32>(code), U_FOLD_CASE_DEFAULT)));
  }
  return compared;
}

}  // namespace

std::optional<char32_t> first_changed_character(const Tokenizer& tokenizer, std::string_view line) {
  const std::vector<TokenId> ids = tokenizer.encode(line);
  if (std::ranges::find(ids, kUnk) != ids.end()) return std::nullopt;
  const std::u32string before = compared_characters(line);
  const std::u32string after = compared_characters(tokenizer.decode(ids));
  const auto changed = std::ranges::mismatch(before, after).in1;
  if (changed == before.end()) return std::nullopt;
  return *changed;
}

}  // namespace attend::text
