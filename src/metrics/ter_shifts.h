#pragma once
#include <cstdint>
#include <span>

namespace attend::metrics {

/// The number of edits that turn a hypothesis into a reference (Snover et al. 2006). Dropping,
/// adding or replacing a word costs 1, and so does shifting a sequence of words. Searches shifts
/// greedily like Tercom, with the limits of sacreBLEU 2.x: sequences of at most 10 words, shifted
/// over at most 50 words, at most 1000 shifts tried per segment. Words are given as numbers.
[[nodiscard]] int64_t translation_edits(std::span<const uint32_t> hypothesis,
                                        std::span<const uint32_t> reference);

}  // namespace attend::metrics
