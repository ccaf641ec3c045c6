#include "kernels/columns.h"

#include <limits>

#include "kernels/parallel.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 16;  // rows a thread takes at a time
constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

void gather_columns(Matrix<const float> from, Matrix<const int32_t> columns, const int64_t* owners,
                    Matrix<float> to) {
  parallel_ranges(to.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* const source = from.data + row * from.stride;
      const int32_t* const wanted = columns.data + owners[row] * columns.stride;
      float* const target = to.data + row * to.stride;
      for (int64_t c = 0; c < to.columns; ++c)
        target[c] = wanted[c] < 0 ? kNever : source[wanted[c]];
    }
  });
}

}  // namespace attend::kernels
