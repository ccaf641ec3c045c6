#include "metrics/tokenizer/tokenize_char.h"

#include "metrics/unicode_text.h"

namespace attend::metrics {

std::string tokenize_char(std::string_view line) {
  return space_characters(line, [](char32_t) { return true; });
}

}  // namespace attend::metrics
