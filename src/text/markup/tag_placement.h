#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/utf8.h"
#include "text/markup/marked_part.h"

namespace attend::text {

/// A word of a translation: its bytes there, and those of the source word that it is linked to.
struct LinkedWord {
  utf8::Span target;
  std::optional<utf8::Span> source = {};  ///< nothing: not linked
};

/// The tags before each word of a translation, and after the last one: indices into
/// MarkedPart::tags, in order.
using TagPlaces = std::vector<std::vector<std::size_t>>;

/// Puts the tags of a part around the words of its translation. The elements keep their nesting:
/// each tag stays inside of its element. An opening or closing tag whose partner is missing, or in
/// another part or line, keeps the other tags on their sides. It is put where most words are on the
/// same side of it as their source words.
///
/// An element goes around the words that are linked to its text: the stretch of words with most of
/// these and fewest others. If no word is linked to it, it goes around a word near its place. Other
/// tags go before the word that is linked to the text after them, or after the word that is linked
/// to the text before them, whichever is nearer. If no word has a link, the words are taken to be
/// in the order of the source. Requires: words in order.
[[nodiscard]] TagPlaces place_tags(const MarkedPart& part, std::vector<LinkedWord> words);

/// Cuts words that are copied from the source (`translation` has the same bytes) where there are
/// tags inside them, so that H<sub>2</sub>O stays as it is.
[[nodiscard]] std::vector<LinkedWord> cut_copied_words(const MarkedPart& part,
                                                       std::string_view translation,
                                                       const std::vector<LinkedWord>& words);

}  // namespace attend::text
