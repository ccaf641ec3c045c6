#pragma once
#include <cstdint>
#include <span>

namespace attend::metrics {

/// The edits that turn a hypothesis into a reference where, besides dropping, adding and replacing
/// a word, moving a row of words costs 1 as well (Snover et al. 2006). The shifts are searched
/// greedily as Tercom does it, with the limits of sacreBLEU 2.x: rows of at most 10 words, moved
/// over at most 50, at most 1000 tried for a segment. Words are numbers.
[[nodiscard]] int64_t translation_edits(std::span<const uint32_t> hypothesis,
                                        std::span<const uint32_t> reference);

}  // namespace attend::metrics
