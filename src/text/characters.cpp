#include "text/characters.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

namespace attend::text {

utf8::Character last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  return utf8::first_character(text.substr(begin));
}

bool is_blank(char32_t code) {
  return u_isUWhiteSpace(static_cast<UChar32>(code)) != 0;
}

bool is_letter(char32_t code) {
  return u_isUAlphabetic(static_cast<UChar32>(code)) != 0;
}

bool is_bracket_or_quote(char32_t code) {
  constexpr uint32_t kKinds = U_GC_PS_MASK | U_GC_PE_MASK | U_GC_PI_MASK | U_GC_PF_MASK;
  return code == U'"' || code == U'\'' || (U_GET_GC_MASK(static_cast<UChar32>(code)) & kKinds) != 0;
}

bool is_written_without_blanks(char32_t code) {
  const bool punctuation = code >= 0x3001 && code <= 0x303F;
  const bool kana_mark = code == 0x30FB || code == 0x30FC;
  const bool fullwidth = code >= 0xFF01 && code <= 0xFF65;
  if (punctuation || kana_mark || fullwidth) return true;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(code), &status);
  return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
         script == USCRIPT_BOPOMOFO;
}

utf8::Span trimmed(std::string_view text, utf8::Span span) {
  while (span.begin < span.end) {
    const auto first = utf8::first_character(text_of(text, span));
    if (!is_blank(first.code)) break;
    span.begin += first.bytes;
  }
  while (span.begin < span.end) {
    const auto last = last_character(text_of(text, span));
    if (!is_blank(last.code)) break;
    span.end -= last.bytes;
  }
  return span;
}

bool has_letter(std::string_view text) {
  while (!text.empty()) {
    const auto first = utf8::first_character(text);
    if (is_letter(first.code)) return true;
    text.remove_prefix(first.bytes);
  }
  return false;
}

}  // namespace attend::text
