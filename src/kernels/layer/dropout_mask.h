#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/splitmix.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/random_words.h"

namespace attend::kernels {

/// The rows of a tensor [lines, parts, positions, size]; parts are heads, for example.
struct LineRows {
  const uint64_t* lines = nullptr;  // [lines] the name of each line; null: 0, 1, ...
  int64_t parts = 1;
  int64_t positions = 1;
  int64_t first = 0;  // index of the first position
};

/// The random 32-bit number of an element depends only on its line, part, position and column, not
/// on the other lines or on the number of positions or columns. Column i of positions 4 k to 4 k +
/// 3 of a part gets the four random_words() of the counter (i, 65536 part + k), in order, with the
/// line's numbered_key() as the key.
constexpr int64_t kDrawnTogether = 4;  // positions

/// Four positions of one part of one line.
struct DrawnTile {
  uint64_t key;
  uint64_t counter;  // of column 0

  [[nodiscard]] static DrawnTile of(const LineRows& rows, uint64_t seed, int64_t row) {
    const int64_t sequence = row / rows.positions;  // among all parts of all lines
    const int64_t line = sequence / rows.parts, part = sequence % rows.parts;
    const uint64_t name = rows.lines == nullptr ? static_cast<uint64_t>(line) : rows.lines[line];
    const int64_t tile = (rows.first + row % rows.positions) / kDrawnTogether;
    return {numbered_key(seed, name), static_cast<uint64_t>((part << 16) + tile) << 32U};
  }
  [[nodiscard]] bool operator==(const DrawnTile& other) const {
    return key == other.key && counter == other.counter;
  }
};

/// Dropout (Srivastava et al. 2014) of LineRows: an element is multiplied by 1 / (1 - probability)
/// if its random 32-bit number is at least 2^32 * probability, and set to 0 otherwise.
struct MaskRule {
  uint64_t seed = 0;
  double probability = 0.0;  // in [0, 1); 0: no dropout
  LineRows rows = {};

  /// Elements whose random number is below this are dropped.
  [[nodiscard]] uint32_t threshold() const {
    return static_cast<uint32_t>(std::min(std::ldexp(probability, 32), 4294967295.0));
  }
  /// The factor of elements that are kept.
  [[nodiscard]] double scale() const { return 1.0 / (1.0 - probability); }
};

/// Number of columns drawn: `size` rounded up to whole kRandomLanes.
inline int64_t drawn_columns(int64_t size) {
  return (size + kRandomLanes - 1) / kRandomLanes * kRandomLanes;
}

/// to[i] = form(number i) for the random numbers [kDrawnTogether, drawn_columns(size)] of a tile.
template <class T, class Form>
ATTEND_ALWAYS_INLINE void fill_tile(DrawnTile tile, int64_t size, T* to, const Form& form) {
  const int64_t stride = drawn_columns(size);
  RandomWords random;
  for (int64_t i = 0; i < stride; i += kRandomLanes) {
    random_words(tile.counter + static_cast<uint64_t>(i), tile.key, random);
    for (int64_t word = 0; word < kDrawnTogether; ++word) {
      const uint32_t* const words = random.words + word * kRandomLanes;
      T* const numbers = to + word * stride + i;
      ATTEND_INDEPENDENT
      for (int64_t lane = 0; lane < kRandomLanes; ++lane) numbers[lane] = form(words[lane]);
    }
  }
}

/// Caches the latest tile, so that consecutive rows draw each tile once.
template <class T>
struct MaskMemory {
  explicit MaskMemory(int64_t size)
      : values(static_cast<std::size_t>(kDrawnTogether * drawn_columns(size))) {}
  std::vector<T> values;
  DrawnTile tile = {0, ~uint64_t{0}};  // the tile in `values`; at first one that never occurs
};

/// form(number) for the random numbers [size] of a row, valid until the next call.
template <class T, class Form>
ATTEND_ALWAYS_INLINE const T* drawn_row(const LineRows& rows, uint64_t seed, int64_t row,
                                        int64_t size, MaskMemory<T>& memory, const Form& form) {
  const DrawnTile tile = DrawnTile::of(rows, seed, row);
  if (!(tile == memory.tile)) {
    fill_tile(tile, size, memory.values.data(), form);
    memory.tile = tile;
  }
  const int64_t position = rows.first + row % rows.positions;
  return memory.values.data() + position % kDrawnTogether * drawn_columns(size);
}

/// The mask [size] of a row, valid until the next call.
template <class T>
ATTEND_ALWAYS_INLINE const T* mask_of_row(const MaskRule& rule, int64_t row, int64_t size,
                                          MaskMemory<T>& memory) {
  const uint32_t threshold = rule.threshold();
  const T scale = static_cast<T>(rule.scale());
  return drawn_row(
      rule.rows, rule.seed, row, size, memory, [=](uint32_t word) __attribute__((always_inline)) {
        return word >= threshold ? scale : T(0);
      });
}

}  // namespace attend::kernels
