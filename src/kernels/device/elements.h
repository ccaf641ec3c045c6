#pragma once
#include "kernels/device/device.h"

// Elementwise operations.
namespace attend::kernels::device {

/// x = tanh x.
template <class T>
struct TanhNumber {
  T* x;
  ATTEND_DEVICE void operator()(int64_t i) const { x[i] = std::tanh(x[i]); }
};

/// d *= 1 - y^2.
template <class T>
struct TanhNumberGradient {
  const T* y;
  T* d;
  ATTEND_DEVICE void operator()(int64_t i) const { d[i] *= T(1) - y[i] * y[i]; }
};

/// x = x + 1 where x > 0, else e^x.
template <class T>
struct PositiveNumber {
  T* x;
  ATTEND_DEVICE void operator()(int64_t i) const {
    x[i] = x[i] > T(0) ? x[i] + T(1) : std::exp(x[i]);
  }
};

template <class T>
struct PositiveNumberGradient {
  const T* y;
  T* d;
  ATTEND_DEVICE void operator()(int64_t i) const { d[i] *= y[i] > T(1) ? T(1) : y[i]; }
};

/// y = x * mask, or with `adds` y += x * mask.
template <class T>
struct MaskedNumber {
  const T* x;
  const T* mask;
  T* y;
  bool adds = false;
  ATTEND_DEVICE void operator()(int64_t i) const {
    const T product = x[i] * mask[i];
    y[i] = adds ? y[i] + product : product;
  }
};

/// y = a + b.
template <class T>
struct SumOfNumbers {
  const T* a;
  const T* b;
  T* y;
  ATTEND_DEVICE void operator()(int64_t i) const { y[i] = a[i] + b[i]; }
};

/// da += dy, db += dy; a and b may be the same.
template <class T>
struct SumOfNumbersGradient {
  const T* d_y;
  T* d_a;
  T* d_b;
  ATTEND_DEVICE void operator()(int64_t i) const {
    d_a[i] += d_y[i];
    d_b[i] += d_y[i];
  }
};

/// Row i of y [., columns] is row index[i] of x, or zeros if that is negative.
template <class T>
struct GatheredNumber {
  const T* x;
  int64_t x_stride;
  const int64_t* index;
  T* y;
  int64_t y_stride, columns;
  ATTEND_DEVICE void operator()(int64_t i) const {
    const RowColumn at = RowColumn::of(i, columns);
    const int64_t from = index[at.row];
    y[at.row * y_stride + at.column] = from < 0 ? T(0) : x[from * x_stride + at.column];
  }
};

}  // namespace attend::kernels::device
