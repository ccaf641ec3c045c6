#pragma once
#include <cmath>
#include <cstdint>

// Kernel bodies in this folder compile for the host and for a GPU. They are plain structs of
// numbers and pointers. launch.h runs them on either.
#if defined(__CUDACC__)
#define ATTEND_DEVICE __host__ __device__
#else
#define ATTEND_DEVICE
#endif

namespace attend::kernels::device {

template <class T>
ATTEND_DEVICE T greater_of(T a, T b) {
  return a < b ? b : a;
}
template <class T>
ATTEND_DEVICE T lesser_of(T a, T b) {
  return b < a ? b : a;
}

/// 1 / (1 + e^-x).
template <class T>
ATTEND_DEVICE T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

/// Row and column of number i of a matrix with `columns`. Requires: i fits 32 bits, since a GPU has
/// no fast division of 64 bits.
struct RowColumn {
  int64_t row = 0, column = 0;

  ATTEND_DEVICE static RowColumn of(int64_t i, int64_t columns) {
    const auto number = static_cast<uint32_t>(i), size = static_cast<uint32_t>(columns);
    const uint32_t row = number / size;
    return {row, number - row * size};
  }
};

}  // namespace attend::kernels::device
