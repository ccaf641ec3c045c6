#include "kernels/attention.h"

#include <algorithm>
#include <vector>

#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/lanes.h"
#include "kernels/parallel.h"
#include "kernels/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 4;  // rows a thread takes at a time

template <class T>
ATTEND_ALWAYS_INLINE int64_t sentence_of(const AttentionMemory<T>& memory, int64_t row) {
  return memory.owners != nullptr ? memory.owners[row] : row;
}

/// Energies of one row, which belongs to `sentence`, into `weights`.
template <class T>
ATTEND_ALWAYS_INLINE void energies_of_row(const AttentionStep<T>& step, int64_t row,
                                          int64_t sentence, T* weights) {
  const AttentionMemory<T>& memory = step.memory;
  const T* const query = step.query + row * memory.inner;
  for (int64_t s = 0; s < memory.lengths[sentence]; ++s) {
    const T* const key = memory.keys + (sentence * memory.positions + s) * memory.inner;
    weights[s] = memory.energy == Energy::tanh
                     ? sum_of<T>(
                           memory.inner,
                           [&](int64_t a) __attribute__((always_inline)) {
                             return memory.vector[a] * hyperbolic_tangent(key[a] + query[a]);
                           })
                     : sum_of<T>(
                           memory.inner, [&](int64_t a) __attribute__((always_inline)) {
                             return key[a] * query[a];
                           });
  }
}

/// Energies become weights.
template <class T>
ATTEND_ALWAYS_INLINE void softmax_of_row(int64_t length, T* weights) {
  const T largest = largest_of(weights, length);
  T sum = 0;
  for (int64_t s = 0; s < length; ++s) {
    weights[s] = exponential(weights[s] - largest);
    sum += weights[s];
  }
  for (int64_t s = 0; s < length; ++s) weights[s] /= sum;
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_row(const AttentionStep<T>& step, int64_t row) {
  const AttentionMemory<T>& memory = step.memory;
  const int64_t sentence = sentence_of(memory, row);
  const int64_t length = memory.lengths[sentence];
  T* const weights = step.weights + row * memory.positions;
  T* const context = step.context + row * memory.size;
  std::fill_n(weights, memory.positions, T(0));
  std::fill_n(context, memory.size, T(0));
  if (length == 0) return;
  energies_of_row(step, row, sentence, weights);
  softmax_of_row(length, weights);
  for (int64_t s = 0; s < length; ++s) {
    const T* const value = memory.values + (sentence * memory.positions + s) * memory.size;
    for (int64_t k = 0; k < memory.size; ++k) context[k] += weights[s] * value[k];
  }
}

/// d_weight of position s; dvalues on the way.
template <class T>
ATTEND_ALWAYS_INLINE T backward_through_value(const AttentionStepGradient<T>& step, int64_t row,
                                              int64_t sentence, int64_t s) {
  const AttentionMemory<T>& memory = step.memory;
  const T* const value = memory.values + (sentence * memory.positions + s) * memory.size;
  T* const d_value = step.d_values + (sentence * memory.positions + s) * memory.size;
  const T* const d_context = step.d_context + row * memory.size;
  const T weight = step.weights[row * memory.positions + s];
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < memory.size; ++k) d_value[k] += weight * d_context[k];
  return sum_of<T>(
      memory.size, [&](int64_t k)
                       __attribute__((always_inline)) { return value[k] * d_context[k]; });
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_through_energy(const AttentionStepGradient<T>& step, int64_t row,
                                                  int64_t sentence, int64_t s, T d_energy) {
  const AttentionMemory<T>& memory = step.memory;
  const int64_t inner = memory.inner;
  const T* const query = step.query + row * inner;
  const T* const key = memory.keys + (sentence * memory.positions + s) * inner;
  T* const d_key = step.d_keys + (sentence * memory.positions + s) * inner;
  T* const d_query = step.d_query + row * inner;
  if (memory.energy == Energy::dot) {
    ATTEND_INDEPENDENT
    for (int64_t a = 0; a < inner; ++a) {
      d_key[a] += d_energy * query[a];
      d_query[a] += d_energy * key[a];
    }
    return;
  }
  T* const d_vector = step.d_vector + row * inner;
  ATTEND_INDEPENDENT
  for (int64_t a = 0; a < inner; ++a) {
    const T mixed = hyperbolic_tangent(key[a] + query[a]);
    const T d_mixed = d_energy * memory.vector[a] * (T(1) - mixed * mixed);
    d_vector[a] += d_energy * mixed;
    d_key[a] += d_mixed;
    d_query[a] += d_mixed;
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_row(const AttentionStepGradient<T>& step, int64_t row,
                                       T* d_weights) {
  const int64_t sentence = sentence_of(step.memory, row);
  const int64_t length = step.memory.lengths[sentence];
  const T* const weights = step.weights + row * step.memory.positions;
  T mean = 0;
  for (int64_t s = 0; s < length; ++s) {
    d_weights[s] = backward_through_value(step, row, sentence, s);
    if (step.d_weights != nullptr) {
      d_weights[s] += step.d_weights[row * step.memory.positions + s];
    }
    mean += weights[s] * d_weights[s];
  }
  for (int64_t s = 0; s < length; ++s) {
    backward_through_energy(step, row, sentence, s, weights[s] * (d_weights[s] - mean));
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_rows(const AttentionStep<T>& step, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) forward_row(step, row);
}

/// `scratch` [rows, S].
template <class T>
ATTEND_ALWAYS_INLINE void backward_rows(const AttentionStepGradient<T>& step, T* scratch,
                                        int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    backward_row(step, row, scratch + row * step.memory.positions);
  }
}

}  // namespace

template <class T>
void attention_step(const AttentionStep<T>& step) {
  parallel_clones<forward_rows<T>>(step, step.memory.rows, kGrain);
}

template <class T>
void attention_step_gradient(const AttentionStepGradient<T>& step) {
  // Before the threads start: an exception may not leave one.
  std::vector<T> scratch(static_cast<std::size_t>(step.memory.rows * step.memory.positions));
  parallel_ranges(step.memory.rows, kGrain, [&](int64_t begin, int64_t end) {
    Clones<backward_rows<T>>::call(step, scratch.data(), begin, end);
  });
}

template void attention_step(const AttentionStep<float>&);
template void attention_step(const AttentionStep<double>&);
template void attention_step_gradient(const AttentionStepGradient<float>&);
template void attention_step_gradient(const AttentionStepGradient<double>&);

}  // namespace attend::kernels
