#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace attend::text {

/// Longest line, in bytes, that is passed to SentencePiece as a whole. SentencePiece takes
/// quadratic time for a run of characters that have no pieces.
inline constexpr std::size_t kLongLine = std::size_t{1} << 16;

/// Splits a line into parts of at most `most` bytes. It splits before blanks if possible, otherwise
/// between characters. Requires: most >= 8.
[[nodiscard]] std::vector<std::string_view> parts_of_line(std::string_view line, std::size_t most);

/// Returns a prefix of a line whose first n = `pieces` pieces are those of the whole line, unless
/// pieces of the model span blanks. A line of up to 64 KiB is returned whole. A longer line is cut
/// to a prefix of more than 2 n pieces, which shows that there are more. This saves memory:
/// encoding takes about 300 bytes per byte of a line.
[[nodiscard]] std::string_view enough_of(std::string_view line, const Tokenizer& tokenizer,
                                         int64_t pieces);

/// The first pieces of a line.
struct Beginning {
  std::vector<TokenId> ids;  ///< in the tokenizer's order
  bool cut = false;          ///< true if the line has more pieces
};

/// Removes all elements but those of the first `most` pieces of a text. `elements` holds one
/// element per piece, in `order`. Returns the number of elements removed.
template <class Element>
std::size_t keep_beginning(std::vector<Element>& elements, std::size_t most, PieceOrder order) {
  if (elements.size() <= most) return 0;
  const std::size_t surplus = elements.size() - most;
  const auto begin = elements.begin();
  if (order == PieceOrder::kReversed) {
    elements.erase(begin, begin + static_cast<std::ptrdiff_t>(surplus));
  } else {
    elements.resize(most);
  }
  elements.shrink_to_fit();  // a very long line has many more pieces
  return surplus;
}

/// Encodes the first pieces of a line, at most `pieces` of them.
[[nodiscard]] Beginning encode_beginning(std::string_view line, const Tokenizer& tokenizer,
                                         int64_t pieces);

}  // namespace attend::text
