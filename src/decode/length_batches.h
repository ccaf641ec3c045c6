#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "decode/options.h"

namespace attend::decode {

/// Lines up to this many pieces come in whole batches of lines, of longer ones there are fewer:
/// what a batch needs grows with its lines and their length.
inline constexpr std::size_t kWholeBatchLength = 128;

/// How much is decoded together.
struct BatchSize {
  int64_t size = 64;
  /// Whether `size` counts tokens, as training.batch.unit: a batch has at most so many, end symbols
  /// and padding included. Otherwise it counts lines, and a batch has at most kWholeBatchLength
  /// pieces for each of `size`, padding included. One line may have more.
  bool in_tokens = false;

  /// How many lines a batch may hold whose longest has `longest` pieces, at least 1.
  [[nodiscard]] int64_t lines(std::size_t longest) const;
  /// How many lines are worth reading ahead, so that those of similar length come together: about
  /// 20 batches.
  [[nodiscard]] int64_t window() const;
};

/// That of the config section.
[[nodiscard]] BatchSize batch_size_of(const DecodingOptions& options);

/// The places 0 .. lengths.size()-1, longest first, cut into batches that hold what `size` lets
/// them. Lengths are in pieces, without end symbols.
[[nodiscard]] std::vector<std::vector<std::size_t>> length_batches(
    std::span<const std::size_t> lengths, const BatchSize& size);

}  // namespace attend::decode
