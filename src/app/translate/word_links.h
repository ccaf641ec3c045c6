#pragma once
#include <cstddef>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/translate/translator.h"
#include "core/utf8.h"
#include "text/markup/tag_placement.h"

namespace attend::app {

/// How links are read from the attention of a search.
struct LinkChoice {
  std::size_t shift = 0;  ///< take a token's links from this many decoding steps after its own
  std::size_t head = 0;   ///< take links from this head, counted from 1; 0: the mean
};

/// The words of a line that can be linked: runs of letters and digits, and every other character,
/// or letter of a script without spaces, by itself. Words with a piece in common are one word. All
/// characters but blanks are in a word.
[[nodiscard]] std::vector<utf8::Span> linkable_words(const TokenizedLine& line);

/// The words of a translation of `source` with the source words that they are linked to, as
/// align::extract_links() links them. Without attention there are no links.
[[nodiscard]] std::vector<text::LinkedWord> linked_words(const TokenizedLine& source,
                                                         const Translation& translation,
                                                         const LinkChoice& choice);

}  // namespace attend::app
