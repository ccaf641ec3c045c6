#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace attend::app {

/// Lines that are read ahead so that those of similar length can be worked on together, in batches.
inline constexpr int64_t kWindowBatches = 20;

/// Lines up to this length come in whole batches, of longer ones there are fewer: what a batch
/// needs grows with its lines and their length.
inline constexpr std::size_t kWholeBatchLength = 128;

/// The places 0 .. lengths.size()-1, longest first, cut into batches of at most `size` lines, and
/// of at most kWholeBatchLength * size numbers with the shorter ones filled up, or of one line.
[[nodiscard]] std::vector<std::vector<std::size_t>> length_batches(
    std::span<const std::size_t> lengths, int64_t size);

}  // namespace attend::app
