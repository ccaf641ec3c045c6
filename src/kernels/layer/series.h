#pragma once
#include <cstdint>

#include "kernels/layer/steps.h"

namespace attend::kernels {

/// A value of `size` numbers, and its gradient, for each active row of each step of a loop: both
/// [steps.total(), size], which comments write as [., size]. Borrows the memory.
template <class T>
struct Series {
  T* values = nullptr;
  T* gradients = nullptr;
  const Steps* steps = nullptr;
  int64_t size = 0;
  bool earlier = false;  // refers to the values of one step before

  [[nodiscard]] int64_t rows(int64_t step) const { return steps->rows(step); }
  /// Numbers of a step.
  [[nodiscard]] int64_t count(int64_t step) const { return rows(step) * size; }
  [[nodiscard]] T* value(int64_t step) const { return values + offset(step); }
  [[nodiscard]] T* gradient(int64_t step) const { return gradients + offset(step); }
  /// The values that the rows of each step had one step earlier. Requires: the state before the
  /// first step precedes the memory, for all of its rows.
  [[nodiscard]] Series before() const { return {values, gradients, steps, size, true}; }

 private:
  [[nodiscard]] int64_t offset(int64_t step) const {
    return steps->begin(earlier ? step - 1 : step) * size;
  }
};

}  // namespace attend::kernels
