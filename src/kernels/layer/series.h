#pragma once
#include <cstdint>

#include "kernels/layer/steps.h"

namespace attend::kernels {

/// A value of `size` numbers for each row that takes part in each step of a loop, with its
/// gradient: both [steps.total(), size]. The memory belongs to somebody else.
template <class T>
struct Series {
  T* values = nullptr;
  T* gradients = nullptr;
  const Steps* steps = nullptr;
  int64_t size = 0;
  bool earlier = false;  // what each row held one step before is meant

  [[nodiscard]] int64_t rows(int64_t step) const { return steps->rows(step); }
  /// How many numbers a step has.
  [[nodiscard]] int64_t count(int64_t step) const { return rows(step) * size; }
  [[nodiscard]] T* value(int64_t step) const { return values + offset(step); }
  [[nodiscard]] T* gradient(int64_t step) const { return gradients + offset(step); }
  /// What the rows of each step held one step earlier. Requires: in front of the memory is a state
  /// before the first step, for all its rows.
  [[nodiscard]] Series before() const { return {values, gradients, steps, size, true}; }

 private:
  [[nodiscard]] int64_t offset(int64_t step) const {
    return steps->begin(earlier ? step - 1 : step) * size;
  }
};

}  // namespace attend::kernels
