#include "kernels/layer/columns.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/parallel.h"
#include "kernels/product/inner_products.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 16;  // rows per parallel task
constexpr float kNever = -std::numeric_limits<float>::infinity();

struct Product {
  Matrix<const float> x, weight;
  const float* bias;
  RowColumns columns;
  Matrix<float> to;
};

/// Up to kRightSides adjacent columns.
struct Columns {
  int64_t first = 0, count = 0;
  const float* weight[kRightSides] = {};
  float bias[kRightSides] = {};  // kNever: no column
};

ATTEND_ALWAYS_INLINE Columns columns_of(const Product& product, const int32_t* list,
                                        int64_t first) {
  Columns columns;
  columns.first = first;
  columns.count = std::min<int64_t>(kRightSides, product.to.columns - first);
  for (int64_t c = 0; c < kRightSides; ++c) {
    const bool is_given = c < columns.count && list[first + c] >= 0;
    columns.weight[c] =
        product.weight.data + (is_given ? list[first + c] : 0) * product.weight.stride;
    columns.bias[c] = is_given ? product.bias[list[first + c]] : kNever;
  }
  return columns;
}

template <int kRows>
ATTEND_ALWAYS_INLINE void compute_tile(const Product& product, const Columns& columns,
                                       int64_t row) {
  float products[kRows * kRightSides];
  inner_products<kRows>(product.x.data + row * product.x.stride, product.x.stride, columns.weight,
                        product.x.columns, products);
  for (int64_t r = 0; r < kRows; ++r) {
    float* const to = product.to.data + (row + r) * product.to.stride + columns.first;
    for (int64_t c = 0; c < columns.count; ++c) {
      // kNever is not added, because an infinite product plus kNever would be NaN.
      const float bias = columns.bias[c];
      to[c] = bias == kNever ? kNever : products[r * kRightSides + c] + bias;
    }
  }
}

/// Computes rows [begin, end), which all have the same list of columns.
ATTEND_ALWAYS_INLINE void compute_same_owner(const Product& product, int64_t begin, int64_t end) {
  const Matrix<const int32_t>& lists = product.columns.lists;
  const int32_t* const list = lists.data + product.columns.owners[begin] * lists.stride;
  for (int64_t column = 0; column < lists.columns; column += kRightSides) {
    const Columns columns = columns_of(product, list, column);
    int64_t row = begin;
    for (; row + 2 <= end; row += 2) compute_tile<2>(product, columns, row);
    if (row < end) compute_tile<1>(product, columns, row);
  }
}

ATTEND_ALWAYS_INLINE void compute(const Product& product, int64_t begin, int64_t end) {
  const int64_t* const owners = product.columns.owners;
  while (begin < end) {
    int64_t other = begin + 1;
    while (other < end && owners[other] == owners[begin]) ++other;
    compute_same_owner(product, begin, other);
    begin = other;
  }
}

}  // namespace

void gather_columns(Matrix<const float> from, const RowColumns& columns, Matrix<float> to) {
  const Matrix<const int32_t>& lists = columns.lists;
  parallel_ranges(to.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* const source = from.data + row * from.stride;
      const int32_t* const list = lists.data + columns.owners[row] * lists.stride;
      float* const target = to.data + row * to.stride;
      for (int64_t c = 0; c < to.columns; ++c) target[c] = list[c] < 0 ? kNever : source[list[c]];
    }
  });
}

void product_of_columns(Matrix<const float> x, Matrix<const float> weight, const float* bias,
                        const RowColumns& columns, Matrix<float> to) {
  const Product product{.x = x, .weight = weight, .bias = bias, .columns = columns, .to = to};
  parallel_clones<compute>(product, to.rows, kGrain);
}

}  // namespace attend::kernels
