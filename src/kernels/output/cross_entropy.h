#pragma once
#include <cstdint>

namespace attend::kernels {

/// Cross-entropy of `rows` predictions over `classes`, against targets smoothed by a uniform
/// distribution over all classes (Szegedy et al. 2016, Sec. 7):
///   p = softmax(logits + bias);  q_k = (1 - smoothing) [k = target] + smoothing / classes
///   nll = -log p_target;  objective = -sum_k q_k log p_k
template <class T>
struct CrossEntropyRows {
  int64_t rows = 0;
  int64_t classes = 0;
  T* logits = nullptr;               // [rows, classes]; replaced by the gradient p - q
  const T* bias = nullptr;           // [classes]
  const int64_t* targets = nullptr;  // [rows]
  double smoothing = 0.0;
  double* nll = nullptr;        // [rows]
  double* objective = nullptr;  // [rows]
};

template <class T>  // float or double
void cross_entropy(const CrossEntropyRows<T>& batch);

}  // namespace attend::kernels
