#pragma once
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "core/utf8.h"

namespace attend::text {

/// Where a sentence was cut, from the best places to the worst.
enum class CutAt { kNowhere, kClauses, kWords, kCharacters };

/// Parts of a sentence, in order and without the blanks around them.
struct SentenceParts {
  std::vector<utf8::Span> parts;   ///< at least one, with offsets in the text that was cut
  CutAt cut_at = CutAt::kNowhere;  ///< the worst place of all
};

/// Returns true if a part is short enough. If a part is too long, so is every longer one.
using Fits = std::function<bool(std::string_view)>;

/// Cuts the sentence `span` of `text` into parts that fit, each as long as possible: after clause
/// marks (comma, semicolon, colon, dash), else between words (ICU; at blanks if possible), else
/// between characters. A character that does not fit becomes a part by itself. Stops
/// after `most` parts, which saves the time for the rest. Requires: well-formed UTF-8, no blanks
/// around the sentence, most > 0.
[[nodiscard]] SentenceParts cut_sentence(std::string_view text, const utf8::Span& span,
                                         const Fits& fits,
                                         std::size_t most = std::string_view::npos);

}  // namespace attend::text
