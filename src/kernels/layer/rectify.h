#pragma once
#include <cstdint>

#include "kernels/layer/dropout_mask.h"

namespace attend::kernels {

/// y = drop(max(x + bias, 0)), between the two layers of a feed-forward network, in one pass.
template <class T>
struct Rectify {
  int64_t rows = 0;
  int64_t size = 0;
  const T* x = nullptr;     // [rows, size]
  const T* bias = nullptr;  // [size]
  MaskRule dropout = {};
  T* y = nullptr;  // [rows, size]; may be x
};

template <class T>  // float or double
void rectify(const Rectify<T>& work);

/// Gradient of rectify(). Dropped and negative numbers are 0 in y, so the mask is not needed:
///   d_x = d_y / (1 - probability) where y > 0, else 0;  d_bias += sum over rows of d_x
template <class T>
struct RectifyGradient {
  int64_t rows = 0;
  int64_t size = 0;
  const T* y = nullptr;
  double probability = 0.0;
  const T* d_y = nullptr;
  T* d_x = nullptr;  // may be d_y
  T* d_bias = nullptr;
};

template <class T>
void rectify_gradient(const RectifyGradient<T>& work);

}  // namespace attend::kernels
