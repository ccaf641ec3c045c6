#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"

namespace attend::kernels {

/// `size` rounded up to a multiple of kLanes.
inline int64_t padded(int64_t size) {
  return (size + kLanes - 1) / kLanes * kLanes;
}

/// The left side of a small product: element (i, k) is data[i * row_stride + k * inner_stride].
template <class T>
struct LeftSide {
  const T* data = nullptr;
  int64_t row_stride = 0;
  int64_t inner_stride = 0;
};

/// Sizes of a product [rows, inner] x [inner, columns].
struct ProductSize {
  int64_t rows = 0;
  int64_t inner = 0;
  int64_t columns = 0;  // padded(columns) are computed
};

/// The right side or the result of a small product: rows of padded(columns) numbers, `stride`
/// apart.
template <class T>
struct PaddedRows {
  T* data = nullptr;
  int64_t stride = 0;
};

/// Computes kRows x kLanes sums in registers. Every compiler keeps explicit vectors in registers;
/// 32 bytes are also fast on processors with longer vectors.
template <class T, int kRows>
ATTEND_ALWAYS_INLINE void product_tile(LeftSide<T> left, int64_t inner, PaddedRows<const T> right,
                                       PaddedRows<T> to) {
  using Vector __attribute__((vector_size(32))) = T;
  constexpr int64_t kInVector = 32 / sizeof(T), kVectors = kLanes / kInVector;
  Vector sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < inner; ++k) {
    Vector row[kVectors];
    std::memcpy(row, right.data + k * right.stride, sizeof(row));
    ATTEND_UNROLLED(8)
    for (int i = 0; i < kRows; ++i) {
      const T factor = left.data[i * left.row_stride + k * left.inner_stride];
      ATTEND_UNROLLED(4)
      for (int64_t v = 0; v < kVectors; ++v) sums[i][v] += factor * row[v];
    }
  }
  // Writes vector by vector, directly from the registers.
  ATTEND_UNROLLED(8)
  for (int i = 0; i < kRows; ++i) {
    ATTEND_UNROLLED(4)
    for (int64_t v = 0; v < kVectors; ++v) {
      std::memcpy(to.data + i * to.stride + v * kInVector, &sums[i][v], sizeof(Vector));
    }
  }
}

/// to = left x right for matrices that fit the caches, `right` [inner, padded(columns)] and `to`
/// [rows, padded(columns)]. Sums run over `inner` in order.
template <class T>
ATTEND_ALWAYS_INLINE void small_product(const LeftSide<T>& left, PaddedRows<const T> right,
                                        PaddedRows<T> to, ProductSize size) {
  const int64_t columns = padded(size.columns);
  for (int64_t column = 0; column < columns; column += kLanes) {
    int64_t row = 0;
    const auto tile = [&]<int kRows>() __attribute__((always_inline)) {
      const LeftSide<T> rest{left.data + row * left.row_stride, left.row_stride, left.inner_stride};
      product_tile<T, kRows>(rest, size.inner, {right.data + column, right.stride},
                             {to.data + row * to.stride + column, to.stride});
      row += kRows;
    };
    while (row + 6 <= size.rows) tile.template operator()<6>();
    while (row + 2 <= size.rows) tile.template operator()<2>();
    if (row < size.rows) tile.template operator()<1>();
  }
}

}  // namespace attend::kernels
