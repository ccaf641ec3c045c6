#include "kernels/output/twin_cross_entropy.h"

#include <cmath>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/lanes.h"

// With d_k = log p_k - log p'_k, a = KL(p || p') = sum_k p_k d_k and b = KL(p' || p) = -sum_k p'_k
// d_k, the derivatives of a + b by the logits of either pass are
//   p_k (d_k - a) + p_k - p'_k    and    p'_k (-d_k - b) + p'_k - p_k.
// d is computed from the logits before probabilities replace them: a probability may be 0 in this
// precision and then has no logarithm.

namespace attend::kernels {
namespace {

constexpr int64_t kTwinGrain = 2;  // rows per parallel task

/// Sums over a row of logits l that has been replaced by e^l.
template <class T>
struct Exponentials {
  T sum = 0;
  double log_sum = 0.0;
  double nll = 0.0;     // -log p_target
  double smooth = 0.0;  // -sum_k log p_k / classes
};

/// Adds the bias and subtracts the largest logit.
template <class T>
ATTEND_ALWAYS_INLINE void shift(const TwinCrossEntropyRows<T>& batch, T* logits) {
  for (int64_t k = 0; k < batch.classes; ++k) logits[k] += batch.bias[k];
  const T largest = largest_of(logits, batch.classes);
  for (int64_t k = 0; k < batch.classes; ++k) logits[k] -= largest;
}

template <class T>
ATTEND_ALWAYS_INLINE Exponentials<T> exponentiate(const TwinCrossEntropyRows<T>& batch, T* logits,
                                                  int64_t target) {
  const int64_t classes = batch.classes;
  const auto target_logit = static_cast<double>(logits[target]);
  const T total =
      batch.smoothing == 0.0
          ? T(0)
          : sum_of<T>(
                classes, [&](int64_t k) __attribute__((always_inline)) { return logits[k]; });
  const T sum = sum_of<T>(
      classes, [&](int64_t k) __attribute__((always_inline)) {
        logits[k] = exponential(logits[k]);
        return logits[k];
      });
  const double log_sum = std::log(static_cast<double>(sum));
  return {sum, log_sum, log_sum - target_logit,
          log_sum - static_cast<double>(total) / static_cast<double>(classes)};
}

template <class T>
ATTEND_ALWAYS_INLINE void twin_row(const TwinCrossEntropyRows<T>& batch, int64_t row) {
  const int64_t classes = batch.classes, target = batch.targets[row];
  T* const p = batch.first + row * classes;
  T* const q = batch.second + row * classes;
  T* const d = batch.scratch + row * classes;
  shift(batch, p);
  shift(batch, q);
  for (int64_t k = 0; k < classes; ++k) d[k] = p[k] - q[k];
  const Exponentials<T> one = exponentiate(batch, p, target), two = exponentiate(batch, q, target);
  const T p_factor = T(1) / one.sum, q_factor = T(1) / two.sum;
  const T ratio = static_cast<T>(one.log_sum - two.log_sum);
  for (int64_t k = 0; k < classes; ++k) {
    p[k] *= p_factor;
    q[k] *= q_factor;
    d[k] -= ratio;
  }
  const T forth = sum_of<T>(
      classes, [&](int64_t k) __attribute__((always_inline)) { return p[k] * d[k]; });
  const T back = sum_of<T>(
      classes, [&](int64_t k) __attribute__((always_inline)) { return -q[k] * d[k]; });
  batch.nll[row] = one.nll + two.nll;
  batch.divergence[row] = static_cast<double>(forth) + static_cast<double>(back);
  batch.objective[row] = (1.0 - batch.smoothing) * batch.nll[row] +
                         batch.smoothing * (one.smooth + two.smooth) +
                         batch.weight * batch.divergence[row];
  const T weight = static_cast<T>(batch.weight);
  const T uniform = static_cast<T>(batch.smoothing / static_cast<double>(classes));
  for (int64_t k = 0; k < classes; ++k) {
    const T apart = p[k] - q[k];
    const T of_p = p[k] + weight * (p[k] * (d[k] - forth) + apart) - uniform;
    q[k] = q[k] - weight * (q[k] * (d[k] + back) + apart) - uniform;
    p[k] = of_p;
  }
  p[target] -= static_cast<T>(1.0 - batch.smoothing);
  q[target] -= static_cast<T>(1.0 - batch.smoothing);
}

template <class T>
ATTEND_ALWAYS_INLINE void twin_rows(const TwinCrossEntropyRows<T>& batch, int64_t begin,
                                    int64_t end) {
  for (int64_t row = begin; row < end; ++row) twin_row(batch, row);
}

}  // namespace

template <class T>
void twin_cross_entropy(const TwinCrossEntropyRows<T>& batch) {
  parallel_clones<twin_rows<T>>(batch, batch.rows, kTwinGrain);
}

template void twin_cross_entropy(const TwinCrossEntropyRows<float>&);
template void twin_cross_entropy(const TwinCrossEntropyRows<double>&);

}  // namespace attend::kernels
