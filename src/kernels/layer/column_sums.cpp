#include "kernels/layer/column_sums.h"
#include "kernels/cpu/partial_sums.h"

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSumRows = 64;  // rows per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void sum_rows(const Matrix<const T>& x, T* sums, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const T* const from = x.data + row * x.stride;
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < x.columns; ++i) sums[i] += from[i];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void add_row(const Matrix<T>& x, const T* added, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    T* const to = x.data + row * x.stride;
    ATTEND_INDEPENDENT
    for (int64_t i = 0; i < x.columns; ++i) to[i] += added[i];
  }
}

template <class T>
void add_sums(const Matrix<const T>& x, T* to) {
  PartialSums<T> sums(x.rows, kSumRows, x.columns);
  parallel_ranges(x.rows, kSumRows, [&](int64_t begin, int64_t end) {
    Clones<sum_rows<T>>::call(x, sums.of(begin), begin, end);
  });
  sums.add_to(0, x.columns, to);
}

template <class T>
void add_everywhere(const T* row, const Matrix<T>& x) {
  parallel_ranges(x.rows, kSumRows, [&](int64_t begin, int64_t end) {
    Clones<add_row<T>>::call(x, row, begin, end);
  });
}

}  // namespace

void add_column_sums(Matrix<const float> x, float* to) {
  add_sums(x, to);
}
void add_column_sums(Matrix<const double> x, double* to) {
  add_sums(x, to);
}

void add_to_rows(const float* row, Matrix<float> x) {
  add_everywhere(row, x);
}
void add_to_rows(const double* row, Matrix<double> x) {
  add_everywhere(row, x);
}

}  // namespace attend::kernels
