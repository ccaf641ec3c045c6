#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/attention_matrix.h"
#include "core/utf8.h"

namespace attend::align {

/// Which word each token of a sentence belongs to.
struct WordGroups {
  std::vector<std::string> names;  ///< the words of the line, then the end symbol if there is one
  std::vector<std::size_t> group_of;  ///< for each token the index of its name
  bool end = true;                    ///< whether the last name is the end symbol
};

/// Groups the pieces of a line by its words (utf8::word_spans). `spans` has the bytes of `line`
/// that each piece stands for (text::Piece::span or text::Detokenized::spans); a piece goes to the
/// word with which it shares most bytes (the first of equals), one that shares none to the next
/// word, or to the last where there is none. With `end`, the end symbol follows as a token and a
/// name of its own, `end_name`. A word without any piece keeps its place. Pieces of a line
/// without words join the end symbol; throws std::logic_error if there is none either.
[[nodiscard]] WordGroups group_by_words(std::string_view line, std::span<const utf8::Span> spans,
                                        bool end, std::string_view end_name);

/// The matrix of words: the sum over the source pieces of a word, the mean over its target pieces
/// (Koehn & Knowles 2017, section 3.5). Columns and rows of words without pieces are zero; every
/// other row keeps its sum.
[[nodiscard]] AttentionMatrix merge_to_words(const AttentionMatrix& pieces,
                                             const WordGroups& target, const WordGroups& source);

}  // namespace attend::align
