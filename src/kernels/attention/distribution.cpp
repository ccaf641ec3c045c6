#include "kernels/attention/distribution.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

template <class T>
constexpr T kSmallestTotal = T(1e-30);

template <class T>
ATTEND_ALWAYS_INLINE T total_of(const T* x, int64_t count) {
  return sum_of<T>(
      count, [&](int64_t s) __attribute__((always_inline)) { return x[s]; });
}

template <class T>
ATTEND_ALWAYS_INLINE T product_sum(const T* x, const T* y, int64_t count) {
  return sum_of<T>(
      count, [&](int64_t s) __attribute__((always_inline)) { return x[s] * y[s]; });
}

template <class T>
ATTEND_ALWAYS_INLINE void softmax_of(T* const& x, int64_t count, T factor) {
  const T largest = largest_of(x, count);
  for (int64_t s = 0; s < count; ++s) x[s] = exponential((x[s] - largest) * factor);
  const T total = total_of<T>(x, count);
  for (int64_t s = 0; s < count; ++s) x[s] /= total;
}

template <class T>
ATTEND_ALWAYS_INLINE void softmax_gradient_of(const T* const& weights, T* const& d, int64_t count,
                                              T factor) {
  const T mean = product_sum<T>(weights, d, count);
  for (int64_t s = 0; s < count; ++s) d[s] = weights[s] * (d[s] - mean) * factor;
}

// Newton's method finds both thresholds from below. sum max(z - tau, 0)^p - 1 is a falling convex
// function of tau, so no step overshoots. Few steps suffice: the first one excludes most positions,
// and when a step excludes none, the root has a closed form.
constexpr int kMostTurns = 64;

/// x [count] with maximum 0 -> the tau for which sum max(x - tau, 0) = 1.
template <class T>
ATTEND_ALWAYS_INLINE T sparsemax_threshold(const T* x, int64_t count) {
  T tau = T(-1);
  T support = T(-1);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const T inside = sum_of<T>(
        count, [&](int64_t s) __attribute__((always_inline)) { return x[s] > tau ? T(1) : T(0); });
    if (inside == support) break;
    support = inside;
    tau = (sum_of<T>(
               count, [&](int64_t s)
                          __attribute__((always_inline)) { return x[s] > tau ? x[s] : T(0); }) -
           T(1)) /
          support;
  }
  return tau;
}

template <class T>
ATTEND_ALWAYS_INLINE void sparsemax_of(T* const& x, int64_t count, T) {
  const T largest = largest_of(x, count);
  for (int64_t s = 0; s < count; ++s) x[s] -= largest;
  const T tau = sparsemax_threshold<T>(x, count);
  for (int64_t s = 0; s < count; ++s) x[s] = x[s] <= tau ? T(0) : x[s] - tau;
}

template <class T>
ATTEND_ALWAYS_INLINE void sparsemax_gradient_of(const T* const& weights, T* const& d, int64_t count,
                                                T) {
  for (int64_t s = 0; s < count; ++s) d[s] = weights[s] > T(0) ? d[s] : T(0);
  const T inside = sum_of<T>(
      count, [&](int64_t s)
                 __attribute__((always_inline)) { return weights[s] > T(0) ? T(1) : T(0); });
  const T mean = total_of<T>(d, count) / inside;
  for (int64_t s = 0; s < count; ++s) d[s] = weights[s] > T(0) ? d[s] - mean : T(0);
}

/// The threshold if exactly the positions above `tau` have weight: m - sqrt((1 - D) / k), for their
/// number k, mean m and sum of squared deviations D.
template <class T>
ATTEND_ALWAYS_INLINE T entmax15_root(const T* x, int64_t count, T tau) {
  const T inside = sum_of<T>(
      count, [&](int64_t s) __attribute__((always_inline)) { return x[s] > tau ? T(1) : T(0); });
  const T mean =
      sum_of<T>(
          count, [&](int64_t s)
                     __attribute__((always_inline)) { return x[s] > tau ? x[s] : T(0); }) /
      inside;
  const T deviation = sum_of<T>(
      count, [&](int64_t s) __attribute__((always_inline)) {
        return x[s] > tau ? (x[s] - mean) * (x[s] - mean) : T(0);
      });
  return mean - std::sqrt(std::max(T(1) - deviation, T(0)) / inside);
}

/// x [count] with maximum 0 -> the tau for which sum max(x - tau, 0)^2 = 1.
template <class T>
ATTEND_ALWAYS_INLINE T entmax15_threshold(const T* x, int64_t count) {
  constexpr T kNear = std::is_same_v<T, float> ? T(1e-6) : T(1e-13);
  T tau = T(-1);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const auto above = [&](int64_t s) __attribute__((always_inline)) {
      return x[s] > tau ? x[s] - tau : T(0);
    };
    const T sum = sum_of<T>(count, above);
    const T squares = sum_of<T>(
        count, [&](int64_t s) __attribute__((always_inline)) { return above(s) * above(s); });
    const T further = (squares - T(1)) / (2 * sum);
    if (further <= kNear) break;
    tau += further;
  }
  return entmax15_root<T>(x, count, tau);
}

template <class T>
ATTEND_ALWAYS_INLINE void entmax15_of(T* const& x, int64_t count, T) {
  const T largest = largest_of(x, count);
  for (int64_t s = 0; s < count; ++s) x[s] = (x[s] - largest) / 2;
  const T tau = entmax15_threshold<T>(x, count);
  for (int64_t s = 0; s < count; ++s) x[s] = x[s] <= tau ? T(0) : (x[s] - tau) * (x[s] - tau);
}

template <class T>
ATTEND_ALWAYS_INLINE void entmax15_gradient_of(const T* const& weights, T* const& d, int64_t count,
                                               T) {
  const T roots = sum_of<T>(
      count, [&](int64_t s) __attribute__((always_inline)) { return std::sqrt(weights[s]); });
  const T mean =
      sum_of<T>(
          count, [&](int64_t s)
                     __attribute__((always_inline)) { return std::sqrt(weights[s]) * d[s]; }) /
      roots;
  for (int64_t s = 0; s < count; ++s) d[s] = std::sqrt(weights[s]) * (d[s] - mean);
}

template <class T>
ATTEND_ALWAYS_INLINE void sigmoid_of(T* const& x, int64_t count, T) {
  for (int64_t s = 0; s < count; ++s) x[s] = sigmoid(x[s]);
}

template <class T>
ATTEND_ALWAYS_INLINE void sigmoid_gradient_of(const T* const& weights, T* const& d, int64_t count,
                                              T) {
  for (int64_t s = 0; s < count; ++s) d[s] *= weights[s] * (T(1) - weights[s]);
}

/// x = kept / sum of kept.
template <class T>
ATTEND_ALWAYS_INLINE void shares_of(T* const& x, T* const& kept, int64_t count) {
  for (int64_t s = 0; s < count; ++s) kept[s] = sigmoid(x[s]);
  const T total = std::max(total_of<T>(kept, count), kSmallestTotal<T>);
  for (int64_t s = 0; s < count; ++s) x[s] = kept[s] / total;
}

template <class T>
ATTEND_ALWAYS_INLINE void shares_gradient_of(const T* const& weights, const T* const& kept,
                                             T* const& d, int64_t count) {
  const T mean = product_sum<T>(weights, d, count);
  for (int64_t s = 0; s < count; ++s) d[s] = (d[s] - mean) * weights[s] * (T(1) - kept[s]);
}

template <class T>
void largest_alone(T* x, int64_t count) {
  const int64_t place = std::max_element(x, x + count) - x;
  std::fill_n(x, count, T(0));
  x[place] = T(1);
}

}  // namespace

template <class T>
void distribute(const Distribution& how, T* x, T* kept, int64_t count) {
  const T factor = T(1.0 / how.temperature);
  switch (how.kind) {
    case DistributionKind::softmax:
      return Clones<softmax_of<T>>::call(x, count, factor);
    case DistributionKind::sparsemax:
      return Clones<sparsemax_of<T>>::call(x, count, factor);
    case DistributionKind::entmax15:
      return Clones<entmax15_of<T>>::call(x, count, factor);
    case DistributionKind::sigmoid:
      return Clones<sigmoid_of<T>>::call(x, count, factor);
    case DistributionKind::sigmoid_share:
      return Clones<shares_of<T>>::call(x, kept, count);
    case DistributionKind::largest:
      return largest_alone(x, count);
    case DistributionKind::straight_through:
      std::copy_n(x, count, kept);
      Clones<softmax_of<T>>::call(kept, count, factor);
      return largest_alone(x, count);
  }
}

template <class T>
void distribute_gradient(const Distribution& how, const T* weights, const T* kept, T* d,
                         int64_t count) {
  const T factor = T(1.0 / how.temperature);
  switch (how.kind) {
    case DistributionKind::softmax:
      return Clones<softmax_gradient_of<T>>::call(weights, d, count, factor);
    case DistributionKind::sparsemax:
      return Clones<sparsemax_gradient_of<T>>::call(weights, d, count, factor);
    case DistributionKind::entmax15:
      return Clones<entmax15_gradient_of<T>>::call(weights, d, count, factor);
    case DistributionKind::sigmoid:
      return Clones<sigmoid_gradient_of<T>>::call(weights, d, count, factor);
    case DistributionKind::sigmoid_share:
      return Clones<shares_gradient_of<T>>::call(weights, kept, d, count);
    case DistributionKind::largest:
      return static_cast<void>(std::fill_n(d, count, T(0)));
    case DistributionKind::straight_through:
      return Clones<softmax_gradient_of<T>>::call(kept, d, count, factor);
  }
}

template void distribute(const Distribution&, float*, float*, int64_t);
template void distribute(const Distribution&, double*, double*, int64_t);
template void distribute_gradient(const Distribution&, const float*, const float*, float*, int64_t);
template void distribute_gradient(const Distribution&, const double*, const double*, double*,
                                  int64_t);

}  // namespace attend::kernels
