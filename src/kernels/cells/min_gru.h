#pragma once
#include <cstdint>

namespace attend::kernels {

/// The elementwise part of a minimal GRU step (Feng et al. 2024, arXiv 2410.01201), for `rows`
/// sequences of `size` units. It reads the matrix product a of the input:
///   z = sigmoid(a_z);  h = h' + z (a_n - h')
template <class T>
struct MinGruStep {
  int64_t rows = 0;
  int64_t size = 0;
  T* gates = nullptr;                  // [rows, 2 size] a_z a_n; becomes z n, with n = a_n
  const T* previous_hidden = nullptr;  // [rows, size] h'
  T* hidden = nullptr;                 // [rows, size] h
};

template <class T>  // float or double
void min_gru_step(const MinGruStep<T>& step);

/// Gradient of min_gru_step(), given the gradient dh of h:
///   da_z = dh (n - h') z (1 - z);  da_n = dh z;  dh' += dh (1 - z)
template <class T>
struct MinGruStepGradient {
  int64_t rows = 0;
  int64_t size = 0;
  const T* gates = nullptr;            // [rows, 2 size] z n
  const T* previous_hidden = nullptr;  // h'
  const T* d_hidden = nullptr;         // dh
  T* d_previous_hidden = nullptr;      // dh', added to
  T* d_gates = nullptr;                // [rows, 2 size] da, overwritten; may be `gates`
};

template <class T>
void min_gru_step_gradient(const MinGruStepGradient<T>& step);

}  // namespace attend::kernels
