#pragma once
#include <cstdint>

namespace attend::kernels {

/// The elementwise operations of all steps of simpler simple recurrent units (nn/rnn/ssru.h),
/// between their matrix products:
///   f_t = sigmoid(gates_t + bias),  c_t = f_t c_{t-1} + (1 - f_t) candidates_t,  h_t = relu(c_t)
template <class T>
struct Ssru {
  int64_t rows = 0;               // N
  int64_t steps = 0;              // T
  int64_t size = 0;               // C
  const T* candidates = nullptr;  // [N, T, C]
  const T* gates = nullptr;       // [N, T, C]
  const T* bias = nullptr;        // [C]
  const T* before = nullptr;      // [N, C] the cell before the first step; null: zeros
  T* cells = nullptr;             // [N, T, C]
  T* outputs = nullptr;           // [N, T, C]
};

template <class T>  // float or double
void ssru(const Ssru<T>& work);

/// Gradient of ssru(). Reads everything in `forward` except `outputs`.
template <class T>
struct SsruGradient {
  Ssru<T> forward;
  const T* d_outputs = nullptr;  // [N, T, C]
  const T* d_last = nullptr;     // [N, C] gradient of the last cell; null: zero
  T* d_candidates = nullptr;     // [N, T, C]
  T* d_gates = nullptr;          // [N, T, C]
  T* d_before = nullptr;         // [N, C]; null: not wanted
  T* d_bias = nullptr;           // [C], added to
};

template <class T>
void ssru_gradient(const SsruGradient<T>& work);

}  // namespace attend::kernels
