#pragma once
#include "kernels/device/attention.h"

// Gradients of the keys and values of an attention, as sums over all steps. Only one row attends to
// each memory, so each sum is computed in one place and in a fixed order.
namespace attend::kernels::device {

/// Positions per block. They share the numbers that the block reads.
constexpr int64_t kTogether = 4;

/// The series that the sums run over.
template <class T>
struct StepsOfRows {
  MemoryView view;
  int64_t steps = 0;
  const int64_t* begins = nullptr;  // [steps + 2] first hypothesis of steps -1, 0, ...
  const T* numbers = nullptr;       // [., S] one number for each step, row and position
  const T* mask = nullptr;          // the same, multiplied with it; null: ones
  const T* vectors = nullptr;       // [., size] a vector for each step and row
  bool earlier = false;             // `vectors` are those of the step before
  int64_t size = 0;
  T* to = nullptr;  // [memories, S, size], added to

  /// Blocks for each row of the first step.
  ATTEND_DEVICE int64_t groups() const { return (view.positions + kTogether - 1) / kTogether; }

  /// Calls add(row number in `numbers`, vector) for each step that has the row.
  template <class Add>
  ATTEND_DEVICE void each_step(int64_t row, const Add& add) const {
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t begin = begins[t + 1] * view.heads;
      if (begins[t + 2] * view.heads - begin <= row) break;
      const int64_t place = (earlier ? begins[t] * view.heads : begin) + row;
      add(begin + row, vectors + place * size);
    }
  }
  ATTEND_DEVICE T number(int64_t place, int64_t s) const {
    const int64_t at = place * view.positions + s;
    return mask == nullptr ? numbers[at] : numbers[at] * mask[at];
  }
};

/// to[s] += sum_t number_ts vector_t. Block i: group i % groups() of row i / groups().
template <class T>
struct ProductsOverSteps {
  StepsOfRows<T> over;

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t index) const {
    const int64_t row = index / over.groups(), first = index % over.groups() * kTogether;
    const int64_t count = lesser_of(kTogether, over.view.positions - first);
    const int64_t memory = over.view.memory_of(row);
    T* const to = over.to + (memory * over.view.positions + first) * over.size;
    block.each(over.size, [&](int64_t k) {
      T sums[kTogether] = {};
      over.each_step(row, [&](int64_t place, const T* vector) {
        for (int64_t i = 0; i < kTogether; ++i) {
          if (i < count) sums[i] += over.number(place, first + i) * vector[k];
        }
      });
      for (int64_t i = 0; i < count; ++i) to[i * over.size + k] += sums[i];
    });
  }
};

/// to[s] += w sum_t number_ts (1 - tanh(k_s + vector_t)^2): the gradient of keys of TanhRow.
template <class T>
struct TanhKeysOverSteps {
  StepsOfRows<T> over;
  const T* keys = nullptr;    // as `to`
  const T* vector = nullptr;  // w

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t index) const {
    const int64_t row = index / over.groups(), first = index % over.groups() * kTogether;
    const int64_t count = lesser_of(kTogether, over.view.positions - first);
    const int64_t memory = over.view.memory_of(row);
    const int64_t place_of_first = (memory * over.view.positions + first) * over.size;
    const T* const key = keys + place_of_first;
    T* const to = over.to + place_of_first;
    block.each(over.size, [&](int64_t a) {
      T sums[kTogether] = {}, own[kTogether] = {};
      for (int64_t i = 0; i < kTogether; ++i) {
        if (i < count) own[i] = key[i * over.size + a];
      }
      over.each_step(row, [&](int64_t place, const T* query) {
        for (int64_t i = 0; i < kTogether; ++i) {
          const T mixed = std::tanh(own[i] + query[a]);
          if (i < count) sums[i] += over.number(place, first + i) * (T(1) - mixed * mixed);
        }
      });
      for (int64_t i = 0; i < count; ++i) to[i * over.size + a] += vector[a] * sums[i];
    });
  }
};

}  // namespace attend::kernels::device
