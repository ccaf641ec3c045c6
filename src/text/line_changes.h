#pragma once
#include <string>
#include <string_view>

#include "core/random.h"

namespace attend::text {

/// `line` in capitals, by Unicode's full, language-independent mappings.
[[nodiscard]] std::string upper_case(std::string_view line);

/// `line` with a capital at the beginning of each word; other letters stay as they are.
[[nodiscard]] std::string title_case(std::string_view line);

/// `line` without the marks at its end (Unicode's Sentence_Terminal) and the blanks around them.
/// Returns `line` unchanged if it does not end in such a mark, or has only marks and blanks.
[[nodiscard]] std::string without_final_mark(std::string_view line);

/// `line` with typing errors: a tenth of the words of four letters or more (at least one word) get
/// two neighbouring letters exchanged, or a letter omitted, doubled or replaced by another letter
/// of the line. The first letter of a word stays (Belinkov & Bisk 2018, arXiv 1711.02173). Returns
/// `line` unchanged if all words are shorter.
[[nodiscard]] std::string with_typos(std::string_view line, Random& random);

}  // namespace attend::text
