#include "kernels/layer/add_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/partial_sums.h"

namespace attend::kernels {
namespace {

constexpr int64_t kNormRows = 64;  // rows per parallel task and per partial sum

template <class T>
ATTEND_ALWAYS_INLINE void add_part(const AddNorm<T>& work, int64_t row, MaskMemory<T>& memory) {
  const T* const x = work.x + row * work.size;
  const T* const part = work.part + row * work.size;
  T* const sum = work.sum + row * work.size;
  if (work.dropout.probability <= 0.0) {
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < work.size; ++i) sum[i] = x[i] + part[i];
    return;
  }
  const T* const kept = mask_of_row(work.dropout, row, work.size, memory);
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < work.size; ++i) sum[i] = x[i] + kept[i] * part[i];
}

template <class T>
ATTEND_ALWAYS_INLINE void normalize_row(const AddNorm<T>& work, int64_t row, const T* x) {
  const T count = static_cast<T>(work.size);
  const T mean = sum_of<T>(
                     work.size, [&](int64_t i) __attribute__((always_inline)) { return x[i]; }) /
                 count;
  const T variance =
      sum_of<T>(
          work.size, [&](int64_t i)
                         __attribute__((always_inline)) { return (x[i] - mean) * (x[i] - mean); }) /
      count;
  const T scale = T(1) / std::sqrt(variance + T(1e-5));
  T* const y = work.y + row * work.size;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < work.size; ++i) {
    y[i] = (x[i] - mean) * scale * work.gain[i] + work.bias[i];
  }
  if (work.statistics == nullptr) return;
  work.statistics[2 * row] = mean;
  work.statistics[2 * row + 1] = scale;
}

template <class T>
ATTEND_ALWAYS_INLINE void add_norm_rows(const AddNorm<T>& work, MaskMemory<T>& memory,
                                        int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    if (work.part != nullptr) add_part(work, row, memory);
    normalize_row(work, row, (work.part != nullptr ? work.sum : work.x) + row * work.size);
  }
}

/// Scratch memory of a thread in the backward pass.
template <class T>
struct NormScratch {
  explicit NormScratch(int64_t size)
      : unit(static_cast<std::size_t>(size)), pull(static_cast<std::size_t>(size)), mask(size) {}
  std::vector<T> unit;  // z
  std::vector<T> pull;  // g
  MaskMemory<T> mask;
};

template <class T>
ATTEND_ALWAYS_INLINE void drop_row(const AddNormGradient<T>& work, int64_t row,
                                   MaskMemory<T>& memory) {
  const T* const kept = mask_of_row(work.dropout, row, work.size, memory);
  const T* const d_x = work.d_x + row * work.size;
  T* const d_part = work.d_part + row * work.size;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < work.size; ++i) d_part[i] = kept[i] * d_x[i];
}

/// Adds the row's share of d_gain and d_bias to `sums` [2, size].
template <class T>
ATTEND_ALWAYS_INLINE void add_norm_gradient_row(const AddNormGradient<T>& work, int64_t row,
                                                NormScratch<T>& scratch, T* sums) {
  const int64_t size = work.size;
  const T* const x = work.sum + row * size;
  const T* const d_y = work.d_y + row * size;
  T* const unit = scratch.unit.data();
  T* const pull = scratch.pull.data();
  T* const d_gain = sums;
  T* const d_bias = sums + size;
  const T mean = work.statistics[2 * row], scale = work.statistics[2 * row + 1];
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < size; ++i) {
    unit[i] = (x[i] - mean) * scale;
    pull[i] = work.gain[i] * d_y[i];
    d_gain[i] += d_y[i] * unit[i];
    d_bias[i] += d_y[i];
  }
  const T share = T(1) / static_cast<T>(size);
  const T mean_pull =
      share * sum_of<T>(
                  size, [&](int64_t i) __attribute__((always_inline)) { return pull[i]; });
  const T mean_along = share * sum_of<T>(
                                   size, [&](int64_t i) __attribute__((always_inline)) {
                                     return pull[i] * unit[i];
                                   });
  T* const d_x = work.d_x + row * size;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < size; ++i) d_x[i] = scale * (pull[i] - mean_pull - unit[i] * mean_along);
  if (work.d_sum == nullptr) return;
  const T* const d_sum = work.d_sum + row * size;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < size; ++i) d_x[i] += d_sum[i];
}

template <class T>
ATTEND_ALWAYS_INLINE void add_norm_gradient_rows(const AddNormGradient<T>& work,
                                                 NormScratch<T>& scratch, T* sums, int64_t begin,
                                                 int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    add_norm_gradient_row(work, row, scratch, sums);
    if (work.d_part != nullptr) drop_row(work, row, scratch.mask);
  }
}

}  // namespace

template <class T>
void add_norm(const AddNorm<T>& work) {
  parallel_ranges(work.rows, kNormRows, [&](int64_t begin, int64_t end) {
    MaskMemory<T> memory(work.size);
    Clones<add_norm_rows<T>>::call(work, memory, begin, end);
  });
}

template <class T>
void add_norm_gradient(const AddNormGradient<T>& work) {
  // Partial sums per block of rows, added in order: the same result for any number of threads.
  PartialSums<T> sums(work.rows, kNormRows, 2 * work.size);
  parallel_ranges(work.rows, kNormRows, [&](int64_t begin, int64_t end) {
    NormScratch<T> scratch(work.size);
    Clones<add_norm_gradient_rows<T>>::call(work, scratch, sums.of(begin), begin, end);
  });
  sums.add_to(0, work.size, work.d_gain);
  sums.add_to(work.size, work.size, work.d_bias);
}

template void add_norm(const AddNorm<float>&);
template void add_norm(const AddNorm<double>&);
template void add_norm_gradient(const AddNormGradient<float>&);
template void add_norm_gradient(const AddNormGradient<double>&);

}  // namespace attend::kernels
