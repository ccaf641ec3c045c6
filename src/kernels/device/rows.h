#pragma once
#include "kernels/device/device.h"

// Operations with one block per row (kernels/loop/loop_layer_norm.cpp, loop_direction.cpp).
// Gradients of shared parameters are summed separately for each row.
namespace attend::kernels::device {

template <class T>
struct Moments {
  T mean = 0;
  T scale = 0;  // 1 / sqrt(variance + 1e-5)

  template <class Block>
  ATTEND_DEVICE static Moments of(Block& block, const T* x, int64_t size) {
    const T count = static_cast<T>(size);
    const T mean = block.template sum<T>(size, [=](int64_t k) { return x[k]; }) / count;
    const T squares =
        block.template sum<T>(size, [=](int64_t k) { return (x[k] - mean) * (x[k] - mean); });
    return {mean, T(1) / std::sqrt(squares / count + T(1e-5))};
  }
};

/// y = gain (x - mean) scale + bias, or with `adds` y += the same.
template <class T>
struct NormRow {
  int64_t size = 0;
  const T* x = nullptr;  // [rows, size], as y
  T* y = nullptr;
  const T* gain = nullptr;  // [size]
  const T* bias = nullptr;
  bool adds = false;

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t row) const {
    const T* const from = x + row * size;
    T* const to = y + row * size;
    const Moments<T> moments = Moments<T>::of(block, from, size);
    block.each(size, [&](int64_t k) {
      const T normed = gain[k] * (from[k] - moments.mean) * moments.scale + bias[k];
      to[k] = adds ? to[k] + normed : normed;
    });
  }
};

/// With n = (x - mean) scale and g = gain dy:  dx = scale (g - mean(g) - n mean(g n)), or with
/// `adds` dx += the same. dx may share the memory of x.
template <class T>
struct NormRowGradient {
  int64_t size = 0;
  const T* x = nullptr;
  const T* d_y = nullptr;
  const T* gain = nullptr;
  T* d_x = nullptr;
  T* d_gain = nullptr;  // [rows, size], added to
  T* d_bias = nullptr;
  bool adds = false;

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t row) const {
    const int64_t first = row * size;
    const T* const from = x + first;
    const T* const arriving = d_y + first;
    const Moments<T> moments = Moments<T>::of(block, from, size);
    const T count = static_cast<T>(size);
    const T mean =
        block.template sum<T>(size, [&](int64_t k) { return gain[k] * arriving[k]; }) / count;
    const T along = block.template sum<T>(size, [&](int64_t k) {
      return gain[k] * arriving[k] * (from[k] - moments.mean) * moments.scale;
    }) / count;
    block.each(size, [&](int64_t k) {
      const T n = (from[k] - moments.mean) * moments.scale;  // before d_x, which may be x
      d_gain[first + k] += arriving[k] * n;
      d_bias[first + k] += arriving[k];
      const T d = moments.scale * (gain[k] * arriving[k] - mean - n * along);
      d_x[first + k] = adds ? d_x[first + k] + d : d;
    });
  }
};

/// y = factor x / max(|x|, 1e-8).
template <class T>
struct DirectionRow {
  int64_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;
  const T* factor = nullptr;  // [1]

  template <class Block>
  ATTEND_DEVICE static T norm_of(Block& block, const T* x, int64_t size) {
    return std::sqrt(block.template sum<T>(size, [=](int64_t k) { return x[k] * x[k]; }));
  }

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t row) const {
    const T* const from = x + row * size;
    T* const to = y + row * size;
    const T scale = *factor / greater_of(norm_of(block, from, size), T(1e-8));
    block.each(size, [&](int64_t k) { to[k] = scale * from[k]; });
  }
};

template <class T>
struct DirectionRowGradient {
  int64_t size = 0;
  const T* x = nullptr;
  const T* d_y = nullptr;
  T* d_x = nullptr;  // added to
  const T* factor = nullptr;
  T* d_factor = nullptr;  // [rows], added to

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t row) const {
    const T* const from = x + row * size;
    const T* const arriving = d_y + row * size;
    T* const to = d_x + row * size;
    const T norm = DirectionRow<T>::norm_of(block, from, size);
    const T divisor = greater_of(norm, T(1e-8));
    const T along =
        block.template sum<T>(size, [&](int64_t k) { return from[k] * arriving[k]; }) / divisor;
    block.each(1, [&](int64_t) { d_factor[row] += along; });
    const T inward = norm < T(1e-8) ? T(0) : along / divisor;
    const T scale = *factor / divisor;
    block.each(size, [&](int64_t k) { to[k] += scale * (arriving[k] - inward * from[k]); });
  }
};

}  // namespace attend::kernels::device
