#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/cpu/compiler.h"

namespace attend::kernels {

/// Side of the square blocks that are transposed; all sizes are multiples of it.
constexpr int64_t kTurned = 8;

/// Transposes a block of 32-bit numbers: pairs of rows exchange single numbers, then pairs, then
/// halves of vectors.
template <class T>
requires(sizeof(T) == sizeof(float)) ATTEND_ALWAYS_INLINE
    void transpose_block(const T* from, int64_t stride, T* to, int64_t to_stride) {
  using Vector __attribute__((vector_size(32))) = float;
  Vector x[kTurned], y[kTurned];
  for (int i = 0; i < kTurned; ++i) std::memcpy(&x[i], from + i * stride, sizeof(x[i]));
  for (int i = 0; i < kTurned; i += 2) {
    y[i] = ATTEND_SHUFFLED(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    y[i + 1] = ATTEND_SHUFFLED(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < kTurned; i += 4) {
    for (int j = 0; j < 2; ++j) {
      const Vector a = y[i + j], b = y[i + j + 2];
      x[i + 2 * j] = ATTEND_SHUFFLED(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      x[i + 2 * j + 1] = ATTEND_SHUFFLED(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    y[i] = ATTEND_SHUFFLED(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    y[i + 4] = ATTEND_SHUFFLED(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < kTurned; ++i) std::memcpy(to + i * to_stride, &y[i], sizeof(y[i]));
}

/// Transposes a block of any other type.
template <class T>
ATTEND_ALWAYS_INLINE void transpose_block(const T* from, int64_t stride, T* to, int64_t to_stride) {
  for (int64_t i = 0; i < kTurned; ++i) {
    for (int64_t j = 0; j < kTurned; ++j) to[i * to_stride + j] = from[j * stride + i];
  }
}

/// to [columns, rows] = from [rows, columns]^T. Requires: rows and columns are multiples of
/// kTurned.
template <class T>
ATTEND_ALWAYS_INLINE void transpose(const T* from, int64_t rows, int64_t columns, int64_t stride,
                                    T* to, int64_t to_stride) {
  for (int64_t row = 0; row < rows; row += kTurned) {
    for (int64_t column = 0; column < columns; column += kTurned) {
      transpose_block(from + row * stride + column, stride, to + column * to_stride + row,
                      to_stride);
    }
  }
}

}  // namespace attend::kernels
