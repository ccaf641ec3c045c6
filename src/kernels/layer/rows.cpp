#include "kernels/layer/rows.h"

#include <algorithm>

#include "kernels/cpu/parallel.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 64;  // rows per parallel task

template <class T>
void gather(Matrix<const T> from, const int64_t* index, Matrix<T> to) {
  parallel_ranges(to.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T* const target = to.data + row * to.stride;
      if (index[row] < 0) {
        std::fill_n(target, to.columns, T(0));
      } else {
        std::copy_n(from.data + index[row] * from.stride, to.columns, target);
      }
    }
  });
}

}  // namespace

void gather_rows(Matrix<const float> from, const int64_t* index, Matrix<float> to) {
  gather(from, index, to);
}
void gather_rows(Matrix<const double> from, const int64_t* index, Matrix<double> to) {
  gather(from, index, to);
}

}  // namespace attend::kernels
