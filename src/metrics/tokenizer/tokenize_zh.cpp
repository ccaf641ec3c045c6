#include "metrics/tokenizer/tokenize_zh.h"

#include <algorithm>
#include <array>

#include "metrics/tokenizer/tokenize_13a.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array kChinese{
    Range{0x2001, 0x2A6D},  // meant as U+20000-2A6D6, see the header
    Range{0x2E80, 0x2EFF},  // radicals supplement
    Range{0x2F00, 0x2FDF},  // Kangxi radicals (and U+2F81-2FA1, meant as U+2F800-2FA1D)
    Range{0x2FF0, 0x303F},  // ideographic description, CJK punctuation
    Range{0x3100, 0x312F},  // bopomofo
    Range{0x31A0, 0x31BF},  // bopomofo extended
    Range{0x31C0, 0x31EF},  // strokes
    Range{0x3200, 0x33FF},  // enclosed letters and months, compatibility
    Range{0x3400, 0x4DB5},  // ideographs, extension A
    Range{0x4E00, 0x9FBB},  // ideographs
    Range{0xF900, 0xFA2D},  // compatibility ideographs
    Range{0xFA30, 0xFA6A}, Range{0xFA70, 0xFAD9}, Range{0xFE10, 0xFE1F},  // vertical forms
    Range{0xFE30, 0xFE4F},                                                // compatibility forms
    Range{0xFF00, 0xFFEF},  // full-width and half-width forms
};

bool is_chinese(char32_t c) {
  return std::ranges::any_of(
      kChinese, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

}  // namespace

std::string tokenize_zh(std::string_view line) {
  return separate_western_punctuation(space_characters(strip(line), is_chinese));
}

}  // namespace attend::metrics
