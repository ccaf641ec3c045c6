#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "decode/options.h"

namespace attend::decode {

/// Batches with lines longer than this (in pieces) hold fewer lines, because the memory of a batch
/// grows with the number of lines times their length.
inline constexpr std::size_t kWholeBatchLength = 128;

/// The size of a batch in decoding.
struct BatchSize {
  int64_t size = 64;
  /// True if `size` counts tokens, as in training.batch.unit: a batch holds at most that many, end
  /// symbols and padding included. False if `size` counts lines: a batch holds at most `size` *
  /// kWholeBatchLength pieces, padding included. A single line may exceed the limit.
  bool in_tokens = false;

  /// Number of lines, at least 1, that a batch may hold if the longest has `longest` pieces.
  [[nodiscard]] int64_t lines(std::size_t longest) const;
  /// Lines to read ahead in order to group lines of similar length: about 20 batches.
  [[nodiscard]] int64_t window() const;
};

/// The batch size that the config section `decoding` gives.
[[nodiscard]] BatchSize batch_size_of(const DecodingOptions& options);

/// Sorts the lines 0 .. lengths.size()-1, longest first, and cuts them into batches within `size`.
/// Lengths are in pieces without end symbols.
[[nodiscard]] std::vector<std::vector<std::size_t>> length_batches(
    std::span<const std::size_t> lengths, const BatchSize& size);

}  // namespace attend::decode
