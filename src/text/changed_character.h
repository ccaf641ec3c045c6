#pragma once
#include <optional>
#include <string_view>

#include "text/tokenizer.h"

namespace attend::text {

/// The first character of `line`, case-folded, that decode(encode(line)) does not reproduce:
/// normalisation (NFKC) turns "，" (U+FF0C) into ",", Thai "ำ" (U+0E33) into two characters, and
/// U+200B into a blank. Ignores case, blanks (Unicode's White_Space) and U+200C, which has a
/// warning of its own. Nothing if no character changes, or if a piece of the line is unknown.
/// Requires: well-formed UTF-8.
[[nodiscard]] std::optional<char32_t> first_changed_character(const Tokenizer& tokenizer,
                                                              std::string_view line);

}  // namespace attend::text
