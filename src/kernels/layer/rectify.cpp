#include "kernels/layer/rectify.h"

#include "kernels/cpu/clones.h"
#include "kernels/cpu/partial_sums.h"

namespace attend::kernels {
namespace {

constexpr int64_t kRectifyRows = 64;  // rows per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void rectify_rows(const Rectify<T>& work, MaskMemory<T>& memory, int64_t begin,
                                       int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const T* const x = work.x + row * work.size;
    T* const y = work.y + row * work.size;
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < work.size; ++i) {
      const T value = x[i] + work.bias[i];
      y[i] = value < T(0) ? T(0) : value;  // keeps NaN
    }
    if (work.dropout.probability <= 0.0) continue;
    const T* const kept = mask_of_row(work.dropout, row, work.size, memory);
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < work.size; ++i) y[i] *= kept[i];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void rectify_gradient_rows(const RectifyGradient<T>& work, T* sums,
                                                int64_t begin, int64_t end) {
  const T scale = static_cast<T>(MaskRule{0, work.probability}.scale());
  for (int64_t row = begin; row < end; ++row) {
    const T* const y = work.y + row * work.size;
    const T* const d_y = work.d_y + row * work.size;
    T* const d_x = work.d_x + row * work.size;
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < work.size; ++i) {
      const T scaled = scale * d_y[i];
      d_x[i] = y[i] > T(0) ? scaled : T(0);
      sums[i] += d_x[i];
    }
  }
}

}  // namespace

template <class T>
void rectify(const Rectify<T>& work) {
  parallel_ranges(work.rows, kRectifyRows, [&](int64_t begin, int64_t end) {
    MaskMemory<T> memory(work.size);
    Clones<rectify_rows<T>>::call(work, memory, begin, end);
  });
}

template <class T>
void rectify_gradient(const RectifyGradient<T>& work) {
  PartialSums<T> sums(work.rows, kRectifyRows, work.size);
  parallel_ranges(work.rows, kRectifyRows, [&](int64_t begin, int64_t end) {
    Clones<rectify_gradient_rows<T>>::call(work, sums.of(begin), begin, end);
  });
  sums.add_to(0, work.size, work.d_bias);
}

template void rectify(const Rectify<float>&);
template void rectify(const Rectify<double>&);
template void rectify_gradient(const RectifyGradient<float>&);
template void rectify_gradient(const RectifyGradient<double>&);

}  // namespace attend::kernels
