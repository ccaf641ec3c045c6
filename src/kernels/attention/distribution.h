#pragma once
#include <cstdint>

namespace attend::kernels {

/// How the energies of one query become weights.
enum class DistributionKind {
  softmax,           // exp(e / temperature) / sum
  sparsemax,         // max(e - tau, 0), tau so that they sum to 1 (Martins & Astudillo 2016)
  entmax15,          // max(e / 2 - tau, 0)^2, as well (Peters, Niculae & Martins 2019)
  sigmoid,           // 1 / (1 + exp(-e))
  sigmoid_share,     // the same divided by their sum
  largest,           // 1 for the largest e, the first of several, and 0 for the others; no gradient
  straight_through,  // the same weights with the gradient of softmax(e / temperature)
};

struct Distribution {
  DistributionKind kind = DistributionKind::softmax;
  double temperature = 1.0;  // of softmax and straight_through

  /// Whether distribute() keeps numbers for its gradient beside the weights.
  [[nodiscard]] bool keeps() const {
    return kind == DistributionKind::sigmoid_share || kind == DistributionKind::straight_through;
  }
  /// Whether a position without weight may have a gradient.
  [[nodiscard]] bool reaches_all() const { return kind == DistributionKind::straight_through; }
};

/// x [count], energies, become weights. `kept` [count] is written where keeps(); else not read.
template <class T>  // float or double
void distribute(const Distribution& how, T* x, T* kept, int64_t count);

/// d [count], the gradient of the weights, becomes that of the energies.
template <class T>
void distribute_gradient(const Distribution& how, const T* weights, const T* kept, T* d,
                         int64_t count);

}  // namespace attend::kernels
