#pragma once
#include <cstdint>

#include "kernels/layer/dropout_mask.h"

namespace attend::kernels {

/// y = x times the mask of `rule`. The mask is a hash of each element's index, not a sequential
/// stream, so it can be computed with vectors and threads, is the same on every processor, and is
/// recomputed for the gradient instead of stored.
template <class T>
struct Dropout {
  int64_t rows = 0;
  int64_t size = 0;
  const T* x = nullptr;  // [rows, size]; null: ones
  T* y = nullptr;        // [rows, size]; may be x
  MaskRule rule;
};

template <class T>  // float or double
void dropout(const Dropout<T>& work);

/// Uniform numbers in (0, 1): (w + 1/2) / 2^32 for the random 32-bit number w of each element.
struct UniformDraws {
  int64_t rows = 0;
  int64_t size = 0;
  const int64_t* columns =
      nullptr;          // [rows, size] column of each number; null: 0, 1, ... in each row
  double* y = nullptr;  // [rows, size]
  uint64_t seed = 0;
  LineRows of;
};

void draw_uniform(const UniformDraws& work);

}  // namespace attend::kernels
