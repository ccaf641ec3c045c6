#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace attend::text {

/// Bytes beyond which a line is no longer cut into pieces as a whole: a run of characters that it
/// has no piece for takes SentencePiece time by the square of its length.
inline constexpr std::size_t kLongLine = std::size_t{1} << 16;

/// A line in parts of at most `most` bytes, each but the first beginning with a blank, or, where
/// the line has none for long, with any character. Requires: most >= 8.
[[nodiscard]] std::vector<std::string_view> parts_of_line(std::string_view line, std::size_t most);

/// What of a line can matter to whoever reads its first `pieces` pieces and wants to know whether
/// there are more: the line itself, or of one beyond 64 KiB a beginning with more than twice as
/// many. Cutting a line into pieces takes some 300 bytes of memory for each of its bytes. The first
/// `pieces` pieces are those of the whole line, unless pieces of the model span blanks.
[[nodiscard]] std::string_view enough_of(std::string_view line, const Tokenizer& tokenizer,
                                         int64_t pieces);

/// The first pieces of a line.
struct Beginning {
  std::vector<TokenId> ids;  ///< in the tokenizer's order
  bool cut = false;          ///< the line has more
};

/// Leaves the pieces of the first `most` of a text: elements for its pieces in `order`. Returns how
/// many went.
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
  elements.shrink_to_fit();  // of a very long line the rest is much
  return surplus;
}

/// At most `pieces` of them.
[[nodiscard]] Beginning encode_beginning(std::string_view line, const Tokenizer& tokenizer,
                                         int64_t pieces);

}  // namespace attend::text
