#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/attention_matrix.h"
#include "core/utf8.h"

namespace attend::align {

/// The word of each token of a sentence.
struct WordGroups {
  std::vector<std::string> names;  ///< the words of the line, then the end symbol if there is one
  std::vector<std::size_t> group_of;  ///< for each token, the index of its word in `names`
  bool end = true;                    ///< true if the last name is the end symbol
};

/// Groups the pieces of a line by `words`, in order. `spans` holds the bytes of `line`
/// that each piece covers (text::Piece::span or text::Detokenized::spans). A piece belongs to the
/// word with which it shares most bytes (the first one of a tie). A piece that shares no bytes
/// belongs to the next word, or to the last word if none follows. With `end`, the end symbol is
/// appended as one more token, and as a word named `end_name`. Words without pieces are kept. If
/// the line has no words, its pieces belong to the end symbol; without `end`, throws
/// std::logic_error.
[[nodiscard]] WordGroups group_by_spans(std::string_view line, std::span<const utf8::Span> words,
                                        std::span<const utf8::Span> spans, bool end,
                                        std::string_view end_name);
/// Like group_by_spans(), with the words between spaces (utf8::word_spans).
[[nodiscard]] WordGroups group_by_words(std::string_view line, std::span<const utf8::Span> spans,
                                        bool end, std::string_view end_name);

/// Merges a matrix of pieces into a matrix of words: sums over the source pieces of a word and
/// averages over its target pieces (Koehn & Knowles 2017, section 3.5). Rows and columns of words
/// without pieces are zero; every other row keeps its sum.
[[nodiscard]] AttentionMatrix merge_to_words(const AttentionMatrix& pieces,
                                             const WordGroups& target, const WordGroups& source);

}  // namespace attend::align
