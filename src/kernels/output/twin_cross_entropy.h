#pragma once
#include <cstdint>

namespace attend::kernels {

/// Cross-entropy as in cross_entropy.h of two passes (1, 2) over the same `rows` predictions, and
/// the divergence of their distributions p_i = softmax(logits_i + bias) (R-Drop, Liang et al. 2021,
/// Eq. 2):
///   divergence = KL(p_1 || p_2) + KL(p_2 || p_1)
///   objective = sum_i (-sum_k q_k log p_i,k) + weight divergence
template <class T>
struct TwinCrossEntropyRows {
  int64_t rows = 0;
  int64_t classes = 0;
  T* first = nullptr;       // [rows, classes] logits; replaced by the gradient of the objective
  T* second = nullptr;      // [rows, classes], for the second pass
  T* scratch = nullptr;     // [rows, classes]
  const T* bias = nullptr;  // [classes]
  const int64_t* targets = nullptr;  // [rows]
  double smoothing = 0.0;
  double weight = 0.0;
  double* nll = nullptr;         // [rows]: -log p_1,target - log p_2,target
  double* objective = nullptr;   // [rows]
  double* divergence = nullptr;  // [rows]
};

template <class T>  // float or double
void twin_cross_entropy(const TwinCrossEntropyRows<T>& batch);

}  // namespace attend::kernels
