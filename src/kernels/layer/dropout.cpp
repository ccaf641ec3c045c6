#include "kernels/layer/dropout.h"

#include <algorithm>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"

namespace attend::kernels {
namespace {

constexpr int64_t kDropoutGrain = 16384;  // elements per parallel task

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

ATTEND_ALWAYS_INLINE double uniform_of(uint32_t word) {
  return (static_cast<double>(word) + 0.5) * 0x1.0p-32;
}

/// Draws each requested column separately.
ATTEND_ALWAYS_INLINE void draw_columns(const UniformDraws& work, int64_t row) {
  const DrawnTile tile = DrawnTile::of(work.of, work.seed, row);
  const int64_t word = (work.of.first + row % work.of.positions) % kDrawnTogether;
  for (int64_t i = row * work.size; i < (row + 1) * work.size; ++i) {
    const FourWords four =
        four_words(tile.counter + static_cast<uint64_t>(work.columns[i]), tile.key);
    work.y[i] =
        uniform_of(word < 2 ? (word == 0 ? four.x : four.y) : (word == 2 ? four.z : four.w));
  }
}

ATTEND_ALWAYS_INLINE void draw_rows(const UniformDraws& work, MaskMemory<double>& memory,
                                    int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    if (work.columns != nullptr) {
      draw_columns(work, row);
      continue;
    }
    const double* const numbers = drawn_row(
        work.of, work.seed, row, work.size, memory,
        [](uint32_t word) __attribute__((always_inline)) { return uniform_of(word); });
    std::copy_n(numbers, work.size, work.y + row * work.size);
  }
}

/// Rows per parallel task.
int64_t grain_of(int64_t size) {
  return std::max<int64_t>(1, kDropoutGrain / std::max<int64_t>(1, size));
}

}  // namespace

template <class T>
void dropout(const Dropout<T>& work) {
  parallel_ranges(work.rows, grain_of(work.size), [&](int64_t begin, int64_t end) {
    MaskMemory<T> memory(work.size);
    Clones<drop_rows<T>>::call(work, memory, begin, end);
  });
}

void draw_uniform(const UniformDraws& work) {
  parallel_ranges(work.rows, grain_of(work.size), [&](int64_t begin, int64_t end) {
    MaskMemory<double> memory(work.columns == nullptr ? work.size : 0);
    Clones<draw_rows>::call(work, memory, begin, end);
  });
}

template void dropout(const Dropout<float>&);
template void dropout(const Dropout<double>&);

}  // namespace attend::kernels
