#pragma once
#include <cstdint>

namespace attend::kernels {

/// The elementwise part of a GRU step (Cho et al. 2014, with the reset gate after the product as in
/// cuDNN), for `rows` sequences of `size` units. It reads the matrix products a of the input and b
/// of the state:
///   r, z = sigmoid(a_r + b_r), sigmoid(a_z + b_z);  m = b_n + bias;  n = tanh(a_n + r m)
///   h = n + z (h' - n)
template <class T>
struct GruStep {
  int64_t rows = 0;
  int64_t size = 0;
  T* from_input = nullptr;             // [rows, 3 size] a_r a_z a_n; becomes r z n
  T* from_state = nullptr;             // [rows, 3 size] b_r b_z b_n; b_n becomes m
  const T* bias = nullptr;             // [size]
  const T* previous_hidden = nullptr;  // [rows, size] h'
  T* hidden = nullptr;                 // [rows, size] h
};

template <class T>  // float or double
void gru_step(const GruStep<T>& step);

/// Gradient of gru_step(), given the gradient dh of h:
///   dn = dh (1 - z);  da_n = dn (1 - n^2);  dz = dh (h' - n);  dh' += dh z
///   db_n = da_n r;  da_r = da_n m r (1 - r);  da_z = dz z (1 - z);  db_r = da_r;  db_z = da_z
template <class T>
struct GruStepGradient {
  int64_t rows = 0;
  int64_t size = 0;
  const T* gates = nullptr;            // [rows, 3 size] r z n
  const T* from_state = nullptr;       // [rows, 3 size]; only m is read
  const T* previous_hidden = nullptr;  // h'
  const T* d_hidden = nullptr;         // dh
  T* d_previous_hidden = nullptr;      // dh', added to
  T* d_from_input = nullptr;           // [rows, 3 size] da, overwritten; may be `gates`
  T* d_from_state = nullptr;           // [rows, 3 size] db, overwritten; may be `from_state`
};

template <class T>
void gru_step_gradient(const GruStepGradient<T>& step);

}  // namespace attend::kernels
