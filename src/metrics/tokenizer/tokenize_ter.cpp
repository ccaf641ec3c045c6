#include "metrics/tokenizer/tokenize_ter.h"

#include "metrics/tokenizer/replace_all.h"
#include "metrics/tokenizer/tokenize_13a.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

bool is_between(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

bool is_western_punctuation(char c) {
  return std::string_view(".,?:;!\"()").find(c) != std::string_view::npos;
}

bool is_asian_punctuation(char32_t c) {
  if (is_between(c, 0x3008, 0x3011) || is_between(c, 0x3014, 0x301F)) return true;
  if (is_between(c, 0xFF61, 0xFF65)) return true;
  return std::u32string_view(
             U"\u3001\u3002\u30FB\uFF0E\uFF0C\uFF1F\uFF1A\uFF1B\uFF01\uFF02\uFF08"
             U"\uFF09")
             .find(c) != std::u32string_view::npos;
}

// sacreBLEU's range for enclosed letters ends at U+3F22 and so includes other blocks. Kana are not
// split: sacreBLEU's expressions for them match only at the start of the line, which is always a
// space.
bool is_split_by_tercom(char32_t c) {
  return is_between(c, 0x4E00, 0x9FFF) || is_between(c, 0x3200, 0x4DBF) ||
         is_between(c, 0x31C0, 0x31EF) || is_between(c, 0x2E80, 0x2EFF) ||
         is_between(c, 0xF900, 0xFAFF) || is_between(c, 0xFE30, 0xFE4F) || is_asian_punctuation(c);
}

std::string normalize(std::string text) {
  unescape_entities(text);
  text = separate_ascii_punctuation(" " + text + " ");
  replace_all(text, "'s ", " 's ");
  return separate_periods_and_dashes(text);
}

std::string without_asian_punctuation(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    if (!is_asian_punctuation(next.code)) out += next.bytes;
    text.remove_prefix(next.bytes.size());
  }
  return out;
}

}  // namespace

std::string tokenize_ter(std::string_view line, const TerTokenization& options) {
  const std::string_view stripped = strip_end(line);
  std::string text = options.case_sensitive ? std::string(stripped) : lower_case(stripped);
  if (options.normalized) {
    text = normalize(std::move(text));
    if (options.asian_support) text = space_characters(text, is_split_by_tercom);
  }
  if (options.no_punct) {
    std::erase_if(text, is_western_punctuation);
    if (options.asian_support) text = without_asian_punctuation(text);
  }
  return text;
}

}  // namespace attend::metrics
