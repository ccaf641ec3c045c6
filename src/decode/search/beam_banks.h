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
/// arXiv 1804.06609): continuations that lack equally many tokens form a bank, and every bank gets
/// equally many of the `places`. They are dealt out in rounds, one to each bank that has
/// continuations left, from the bank that lacks least; so places that a small bank does not need go
/// to the others. Continuations that lack more than `left` tokens, the room up to the length limit,
/// get a place only after all others. Returns the rows, the most probable first.
[[nodiscard]] std::vector<Row> share_places(std::vector<BankedRow> continuations,
                                            std::size_t places, int64_t left);

}  // namespace attend::decode
