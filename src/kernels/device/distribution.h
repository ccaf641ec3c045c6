#pragma once
#include "kernels/attention/distribution.h"
#include "kernels/device/device.h"

// The functions of kernels/attention/distribution.cpp, computed by a block.
namespace attend::kernels::device {

constexpr int kMostTurns = 64;  // of Newton's method

template <class T>
ATTEND_DEVICE T lowest_number() {
  return -static_cast<T>(INFINITY);
}

template <class T, class Block>
ATTEND_DEVICE T largest_of(Block& block, const T* x, int64_t count) {
  return block.template largest<T>(count, lowest_number<T>(), [=](int64_t s) { return x[s]; });
}

/// The sum of term(s) over the positions with x[s] > tau.
template <class T, class Block, class Term>
ATTEND_DEVICE T sum_above(Block& block, const T* x, int64_t count, T tau, const Term& term) {
  return block.template sum<T>(count, [&](int64_t s) { return x[s] > tau ? term(s) : T(0); });
}

template <class T, class Block>
ATTEND_DEVICE void softmax_of(Block& block, T* x, int64_t count, T factor) {
  const T largest = largest_of(block, x, count);
  block.each(count, [&](int64_t s) { x[s] = std::exp((x[s] - largest) * factor); });
  const T total = block.template sum<T>(count, [&](int64_t s) { return x[s]; });
  block.each(count, [&](int64_t s) { x[s] /= total; });
}

template <class T, class Block>
ATTEND_DEVICE void softmax_gradient_of(Block& block, const T* weights, T* d, int64_t count,
                                       T factor) {
  const T mean = block.template sum<T>(count, [&](int64_t s) { return weights[s] * d[s]; });
  block.each(count, [&](int64_t s) { d[s] = weights[s] * (d[s] - mean) * factor; });
}

template <class T, class Block>
ATTEND_DEVICE T sparsemax_threshold(Block& block, const T* x, int64_t count) {
  T tau = T(-1), support = T(-1);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const T inside = sum_above(block, x, count, tau, [](int64_t) { return T(1); });
    if (inside == support) break;
    support = inside;
    tau = (sum_above(block, x, count, tau, [&](int64_t s) { return x[s]; }) - T(1)) / support;
  }
  return tau;
}

template <class T, class Block>
ATTEND_DEVICE void sparsemax_of(Block& block, T* x, int64_t count) {
  const T largest = largest_of(block, x, count);
  block.each(count, [&](int64_t s) { x[s] -= largest; });
  const T tau = sparsemax_threshold(block, x, count);
  block.each(count, [&](int64_t s) { x[s] = x[s] <= tau ? T(0) : x[s] - tau; });
}

template <class T, class Block>
ATTEND_DEVICE void sparsemax_gradient_of(Block& block, const T* weights, T* d, int64_t count) {
  const T inside = sum_above(block, weights, count, T(0), [](int64_t) { return T(1); });
  const T mean = sum_above(block, weights, count, T(0), [&](int64_t s) { return d[s]; }) / inside;
  block.each(count, [&](int64_t s) { d[s] = weights[s] > T(0) ? d[s] - mean : T(0); });
}

/// The threshold if exactly the positions above `tau` have weight.
template <class T, class Block>
ATTEND_DEVICE T entmax15_root(Block& block, const T* x, int64_t count, T tau) {
  const T inside = sum_above(block, x, count, tau, [](int64_t) { return T(1); });
  const T mean = sum_above(block, x, count, tau, [&](int64_t s) { return x[s]; }) / inside;
  const T deviation =
      sum_above(block, x, count, tau, [&](int64_t s) { return (x[s] - mean) * (x[s] - mean); });
  return mean - std::sqrt(greater_of(T(1) - deviation, T(0)) / inside);
}

template <class T, class Block>
ATTEND_DEVICE T entmax15_threshold(Block& block, const T* x, int64_t count) {
  const T near = sizeof(T) == sizeof(float) ? T(1e-6) : T(1e-13);
  T tau = T(-1);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const T sum = sum_above(block, x, count, tau, [&](int64_t s) { return x[s] - tau; });
    const T squares =
        sum_above(block, x, count, tau, [&](int64_t s) { return (x[s] - tau) * (x[s] - tau); });
    const T further = (squares - T(1)) / (T(2) * sum);
    if (further <= near) break;
    tau += further;
  }
  return entmax15_root(block, x, count, tau);
}

template <class T, class Block>
ATTEND_DEVICE void entmax15_of(Block& block, T* x, int64_t count) {
  const T largest = largest_of(block, x, count);
  block.each(count, [&](int64_t s) { x[s] = (x[s] - largest) / 2; });
  const T tau = entmax15_threshold(block, x, count);
  block.each(count, [&](int64_t s) { x[s] = x[s] <= tau ? T(0) : (x[s] - tau) * (x[s] - tau); });
}

template <class T, class Block>
ATTEND_DEVICE void entmax15_gradient_of(Block& block, const T* weights, T* d, int64_t count) {
  const T roots = block.template sum<T>(count, [&](int64_t s) { return std::sqrt(weights[s]); });
  const T mean =
      block.template sum<T>(count, [&](int64_t s) { return std::sqrt(weights[s]) * d[s]; }) / roots;
  block.each(count, [&](int64_t s) { d[s] = std::sqrt(weights[s]) * (d[s] - mean); });
}

template <class T, class Block>
ATTEND_DEVICE void shares_of(Block& block, T* x, T* kept, int64_t count) {
  block.each(count, [&](int64_t s) { kept[s] = sigmoid(x[s]); });
  const T total =
      greater_of(block.template sum<T>(count, [&](int64_t s) { return kept[s]; }), T(1e-30));
  block.each(count, [&](int64_t s) { x[s] = kept[s] / total; });
}

template <class T, class Block>
ATTEND_DEVICE void largest_alone(Block& block, T* x, int64_t count) {
  const T largest = largest_of(block, x, count);
  // The first index of a largest number: the negated maximum of the negated indices.
  const int64_t place = -block.template largest<int64_t>(
      count, -count, [&](int64_t s) { return x[s] == largest ? -s : -count; });
  block.each(count, [&](int64_t s) { x[s] = s == place ? T(1) : T(0); });
}

/// Replaces the energies x [count] by weights, as kernels::distribute() does.
template <class T, class Block>
ATTEND_DEVICE void distribute_by(Block& block, const Distribution& how, T* x, T* kept,
                                 int64_t count) {
  const T factor = T(1.0 / how.temperature);
  switch (how.kind) {
    case DistributionKind::softmax:
      return softmax_of(block, x, count, factor);
    case DistributionKind::sparsemax:
      return sparsemax_of(block, x, count);
    case DistributionKind::entmax15:
      return entmax15_of(block, x, count);
    case DistributionKind::sigmoid:
      return block.each(count, [&](int64_t s) { x[s] = sigmoid(x[s]); });
    case DistributionKind::sigmoid_share:
      return shares_of(block, x, kept, count);
    case DistributionKind::largest:
      return largest_alone(block, x, count);
    case DistributionKind::straight_through:
      block.each(count, [&](int64_t s) { kept[s] = x[s]; });
      softmax_of(block, kept, count, factor);
      return largest_alone(block, x, count);
  }
}

/// Replaces the gradient d [count] of the weights by the gradient of the energies.
template <class T, class Block>
ATTEND_DEVICE void distribute_gradient_by(Block& block, const Distribution& how, const T* weights,
                                          const T* kept, T* d, int64_t count) {
  const T factor = T(1.0 / how.temperature);
  switch (how.kind) {
    case DistributionKind::softmax:
      return softmax_gradient_of(block, weights, d, count, factor);
    case DistributionKind::sparsemax:
      return sparsemax_gradient_of(block, weights, d, count);
    case DistributionKind::entmax15:
      return entmax15_gradient_of(block, weights, d, count);
    case DistributionKind::sigmoid:
      return block.each(count, [&](int64_t s) { d[s] *= weights[s] * (T(1) - weights[s]); });
    case DistributionKind::sigmoid_share: {
      const T mean = block.template sum<T>(count, [&](int64_t s) { return weights[s] * d[s]; });
      return block.each(count,
                        [&](int64_t s) { d[s] = (d[s] - mean) * weights[s] * (T(1) - kept[s]); });
    }
    case DistributionKind::largest:
      return block.each(count, [&](int64_t s) { d[s] = T(0); });
    case DistributionKind::straight_through:
      return softmax_gradient_of(block, kept, d, count, factor);
  }
}

}  // namespace attend::kernels::device
