#include "metrics/tokenizer/tokenize_intl.h"

#include <unicode/uchar.h>

#include "core/utf8.h"
#include "metrics/tokenizer/pair_rules.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

bool has_category(char32_t c, uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}
bool is_number(char32_t c) {
  return has_category(c, U_GC_N_MASK);
}
bool is_punctuation(char32_t c) {
  return has_category(c, U_GC_P_MASK);
}
bool is_symbol(char32_t c) {
  return has_category(c, U_GC_S_MASK);
}

}  // namespace

std::string tokenize_intl(std::string_view line) {
  std::u32string text = utf8::decode(line);
  text = space_pairs(std::u32string_view(text), PairSpacing::kAroundSecond,
                     [](char32_t a, char32_t b) { return !is_number(a) && is_punctuation(b); });
  text = space_pairs(std::u32string_view(text), PairSpacing::kAroundFirst,
                     [](char32_t a, char32_t b) { return is_punctuation(a) && !is_number(b); });
  return space_characters(utf8::encode(text), is_symbol);
}

}  // namespace attend::metrics
