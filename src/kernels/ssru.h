#pragma once
#include <cstdint>

namespace attend::kernels {

/// All steps of simpler simple recurrent units (nn/rnn/ssru.h) between their products, feature by
/// feature:
///   f_t = sigmoid(gates_t + bias),  c_t = f_t c_{t-1} + (1 - f_t) news_t,  h_t = max(c_t, 0)
template <class T>
struct Ssru {
  int64_t rows = 0;           // N
  int64_t steps = 0;          // T
  int64_t size = 0;           // C
  const T* news = nullptr;    // [N, T, C]
  const T* gates = nullptr;   // [N, T, C]
  const T* bias = nullptr;    // [C]
  const T* before = nullptr;  // [N, C] the cell before the first step; null: zeros
  T* cells = nullptr;         // [N, T, C]
  T* outputs = nullptr;       // [N, T, C]
};

template <class T>  // float or double
void ssru(const Ssru<T>& work);

/// Its gradient. Of `forward` everything but `outputs` is read.
template <class T>
struct SsruGradient {
  Ssru<T> forward;
  const T* d_outputs = nullptr;  // [N, T, C]
  const T* d_last = nullptr;     // [N, C], of the last cell; null: zero
  T* d_news = nullptr;           // [N, T, C]
  T* d_gates = nullptr;          // [N, T, C]
  T* d_before = nullptr;         // [N, C]; null: not wanted
  T* d_bias = nullptr;           // [C], added to
};

template <class T>
void ssru_gradient(const SsruGradient<T>& work);

/// One step of the same with its bias in the gates, for `rows` sequences of `size` units.
template <class T>
struct SsruStep {
  int64_t rows = 0;
  int64_t size = 0;
  T* gates = nullptr;  // [rows, 2 size] of the forget gate and news; becomes f and news
  const T* previous_cell = nullptr;  // [rows, size]
  T* cell = nullptr;                 // [rows, size]
  T* hidden = nullptr;               // [rows, size]
};

template <class T>  // float or double
void ssru_step(const SsruStep<T>& step);

/// Its gradient. With dh and dc what reaches h and c from outside, and dc += dh where c > 0:
///   da_f = dc (c' - news) f (1 - f);  d news = dc (1 - f);  dc' += dc f
template <class T>
struct SsruStepGradient {
  int64_t rows = 0;
  int64_t size = 0;
  const T* gates = nullptr;          // f and news
  const T* previous_cell = nullptr;  // c'
  const T* cell = nullptr;           // c
  const T* d_hidden = nullptr;       // dh
  const T* d_cell = nullptr;         // dc
  T* d_previous_cell = nullptr;      // dc', added to
  T* d_gates = nullptr;              // [rows, 2 size] overwritten; may be `gates`
};

template <class T>
void ssru_step_gradient(const SsruStepGradient<T>& step);

}  // namespace attend::kernels
