#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "decode/search/beams.h"

namespace attend::decode {

/// A continuation of a sentence with required phrases.
struct BankedRow {
  Row row;
  int64_t missing = 0;  ///< required tokens that it still lacks
};

/// Chooses the continuations that stay in the beam by dynamic beam allocation (Post & Vilar 2018,
/// arXiv 1804.06609). Continuations that lack the same number of tokens form a bank. Each round
/// gives one of the `places` to every bank with continuations left, starting with the bank that
/// lacks fewest tokens. So all banks get equally many places, and those that a small bank does not
/// need go to the others. Continuations that lack more than `left` tokens, the room up to the
/// length limit, get places after all others. Returns the rows, the most probable first.
[[nodiscard]] std::vector<Row> share_places(std::vector<BankedRow> continuations,
                                            std::size_t places, int64_t left);

}  // namespace attend::decode
