#pragma once
#include <cstdint>

#include "kernels/layer/dropout_mask.h"

namespace attend::kernels {

/// Residual connection and layer normalisation (Ba, Kiros & Hinton 2016, arXiv 1607.06450, Eq. 4)
/// of each row, in one pass:
///   sum = x + drop(part),  y = gain (sum - mean) scale + bias,  scale = 1 / sqrt(variance + 1e-5)
template <class T>
struct AddNorm {
  int64_t rows = 0;
  int64_t size = 0;
  const T* x = nullptr;     // [rows, size]
  const T* part = nullptr;  // [rows, size]; null: sum = x
  MaskRule dropout = {};    // on `part`
  const T* gain = nullptr;  // [size]
  const T* bias = nullptr;  // [size]
  T* sum = nullptr;         // [rows, size]; not written without `part`; may be x
  T* y = nullptr;           // [rows, size]
  T* statistics = nullptr;  // [rows, 2] mean and scale, for the gradient; null: not wanted
};

template <class T>  // float or double
void add_norm(const AddNorm<T>& work);

/// Gradient of add_norm(), from d_sum and d_y:
///   g = gain d_y,  z = (sum - mean) scale
///   d_x = d_sum + scale (g - mean of g - z mean of (g z)),  d_part = drop(d_x)
///   d_gain += sum over rows of d_y z,  d_bias += sum over rows of d_y
template <class T>
struct AddNormGradient {
  int64_t rows = 0;
  int64_t size = 0;
  const T* sum = nullptr;
  const T* statistics = nullptr;
  const T* gain = nullptr;
  MaskRule dropout = {};
  const T* d_sum = nullptr;  // null: zero
  const T* d_y = nullptr;
  T* d_x = nullptr;
  T* d_part = nullptr;  // null: no part, or d_part = d_x
  T* d_gain = nullptr;
  T* d_bias = nullptr;
};

template <class T>
void add_norm_gradient(const AddNormGradient<T>& work);

}  // namespace attend::kernels
