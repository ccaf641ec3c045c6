#pragma once
#include <cstdint>

namespace attend::kernels {

/// The elementwise part of an LSTM step (Hochreiter & Schmidhuber 1997, with the forget gate of
/// Gers et al. 2000), for `rows` sequences of `size` units. It reads the sum a of the matrix
/// products:
///   i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o);  g = tanh(a_g)
///   c = f c' + i g;  h = o tanh(c)
template <class T>
struct LstmStep {
  int64_t rows = 0;
  int64_t size = 0;
  T* gates = nullptr;                // [rows, 4 size] a_i a_f a_g a_o; becomes i f g o
  const T* previous_cell = nullptr;  // [rows, size] c'
  T* cell = nullptr;                 // [rows, size] c
  T* hidden = nullptr;               // [rows, size] h
};

template <class T>  // float or double
void lstm_step(const LstmStep<T>& step);

/// Gradient of lstm_step(), given the gradients dh of h and dc of c:
///   dc += dh o (1 - tanh(c)^2)
///   da_i = dc g i (1 - i);  da_f = dc c' f (1 - f);  da_g = dc i (1 - g^2)
///   da_o = dh tanh(c) o (1 - o);  dc' += dc f
template <class T>
struct LstmStepGradient {
  int64_t rows = 0;
  int64_t size = 0;
  const T* gates = nullptr;          // i f g o
  const T* previous_cell = nullptr;  // c'
  const T* cell = nullptr;           // c
  const T* d_hidden = nullptr;       // dh
  const T* d_cell = nullptr;         // dc
  T* d_previous_cell = nullptr;      // dc', added to
  T* d_gates = nullptr;              // [rows, 4 size] da, overwritten; may be `gates`
};

template <class T>
void lstm_step_gradient(const LstmStepGradient<T>& step);

/// First half of lstm_step(), for cells that transform c before the output: computes c and the
/// gates, without `hidden`. Its gradient reads the complete dc and does not write da_o.
template <class T>
void lstm_cell_step(const LstmStep<T>& step);
template <class T>
void lstm_cell_step_gradient(const LstmStepGradient<T>& step);

/// Second half of lstm_step(): writes only h = o tanh(n), with n passed as `cell`. Its gradient
/// writes da_o and adds dn to `d_previous_cell`.
template <class T>
void lstm_output_step(const LstmStep<T>& step);
template <class T>
void lstm_output_step_gradient(const LstmStepGradient<T>& step);

}  // namespace attend::kernels
