#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/compiler.h"
#include "kernels/random_words.h"

namespace attend::kernels {

/// Which elements kernels::Dropout keeps, in blocks of kMaskBlock.
constexpr int64_t kMaskBlock = 4 * kRandomLanes;

struct MaskRule {
  uint64_t seed = 0;
  double probability = 0.0;

  /// Words below this drop their element; one that drops all 2^32 is not asked for.
  [[nodiscard]] uint32_t threshold() const {
    return static_cast<uint32_t>(std::min(std::ldexp(probability, 32), 4294967295.0));
  }
  /// What elements that are kept are multiplied by.
  [[nodiscard]] double scale() const { return 1.0 / (1.0 - probability); }
};

/// y_i = x_i of the block's elements 0 <= i < count where they are kept, scaled, and 0 elsewhere;
/// `x` null: ones.
template <class T>
ATTEND_ALWAYS_INLINE void mask_block(const MaskRule& rule, int64_t block, int64_t count, const T* x,
                                     T* y) {
  const uint32_t threshold = rule.threshold();
  const T scale = static_cast<T>(rule.scale());
  RandomWords random;
  random_words(static_cast<uint64_t>(block * kRandomLanes), rule.seed, random);
  const uint32_t* const words = random.words;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const T value = x == nullptr ? T(1) : x[i];
    y[i] = words[i] >= threshold ? value * scale : T(0);
  }
}

/// The mask of elements begin .. begin + count, somewhere inside `buffer` of count + 2 kMaskBlock.
template <class T>
ATTEND_ALWAYS_INLINE const T* mask_of_range(const MaskRule& rule, int64_t begin, int64_t count,
                                            T* buffer) {
  const int64_t first = begin / kMaskBlock, last = (begin + count + kMaskBlock - 1) / kMaskBlock;
  for (int64_t block = first; block < last; ++block) {
    mask_block<T>(rule, block, kMaskBlock, nullptr, buffer + (block - first) * kMaskBlock);
  }
  return buffer + begin % kMaskBlock;
}

}  // namespace attend::kernels
