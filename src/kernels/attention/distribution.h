#pragma once
#include <cstdint>

namespace attend::kernels {

/// Functions that turn the energies of one query into weights.
enum class DistributionKind {
  softmax,           // exp(e / temperature) / sum
  sparsemax,         // max(e - tau, 0) with a sum of 1 (Martins & Astudillo 2016)
  entmax15,          // max(e / 2 - tau, 0)^2 with a sum of 1 (Peters, Niculae & Martins 2019)
  sigmoid,           // 1 / (1 + exp(-e))
  sigmoid_share,     // sigmoid weights divided by their sum
  largest,           // 1 for the first largest e, 0 for the others; no gradient
  straight_through,  // weights of `largest`, gradient of softmax(e / temperature)
};

struct Distribution {
  DistributionKind kind = DistributionKind::softmax;
  double temperature = 1.0;  // of softmax and straight_through

  /// Returns true if the gradient needs `kept` numbers in addition to the weights.
  [[nodiscard]] bool keeps() const {
    return kind == DistributionKind::sigmoid_share || kind == DistributionKind::straight_through;
  }
  /// Returns true if a position with weight 0 may have a gradient.
  [[nodiscard]] bool reaches_all() const { return kind == DistributionKind::straight_through; }
};

/// Replaces the energies x [count] by weights. Writes `kept` [count] if how.keeps().
template <class T>  // float or double
void distribute(const Distribution& how, T* x, T* kept, int64_t count);

/// Replaces the gradient d [count] of the weights by the gradient of the energies.
template <class T>
void distribute_gradient(const Distribution& how, const T* weights, const T* kept, T* d,
                         int64_t count);

}  // namespace attend::kernels
