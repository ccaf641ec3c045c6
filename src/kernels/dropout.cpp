#include "kernels/dropout.h"

#include <algorithm>
#include <cmath>

#include "kernels/clones.h"
#include "kernels/compiler.h"

namespace attend::kernels {
namespace {

constexpr int64_t kDropoutGrain = 16384;  // elements a thread takes at a time

template <class T>
ATTEND_ALWAYS_INLINE void drop_rows(const Dropout<T>& work, MaskMemory<T>& memory, int64_t begin,
                                    int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const T* const mask = mask_of_row(work.rule, row, work.size, memory);
    T* const y = work.y + row * work.size;
    if (work.x == nullptr) {
      std::copy_n(mask, work.size, y);
      continue;
    }
    const T* const x = work.x + row * work.size;
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < work.size; ++i) y[i] = x[i] * mask[i];
  }
}

/// The word drawn for one element.
uint32_t drawn_word(DrawnTile tile, int64_t position, int64_t column) {
  RandomWords block;
  random_words(tile.counter + static_cast<uint64_t>(column), tile.key, block);
  return block.words[position % kDrawnTogether * kRandomLanes];
}

}  // namespace

template <class T>
void dropout(const Dropout<T>& work) {
  const int64_t grain = std::max<int64_t>(1, kDropoutGrain / std::max<int64_t>(1, work.size));
  parallel_ranges(work.rows, grain, [&](int64_t begin, int64_t end) {
    MaskMemory<T> memory(work.size);
    Clones<drop_rows<T>>::call(work, memory, begin, end);
  });
}

void draw_uniform(const UniformDraws& work) {
  for (int64_t row = 0; row < work.rows; ++row) {
    const DrawnTile tile = DrawnTile::of(work.of, work.seed, row);
    const int64_t position = work.of.first + row % work.of.positions;
    for (int64_t i = row * work.size; i < (row + 1) * work.size; ++i) {
      const int64_t column = work.columns == nullptr ? i - row * work.size : work.columns[i];
      const double word = drawn_word(tile, position, column);
      work.y[i] = std::ldexp(word + 0.5, -32);
    }
  }
}

template void dropout(const Dropout<float>&);
template void dropout(const Dropout<double>&);

}  // namespace attend::kernels
