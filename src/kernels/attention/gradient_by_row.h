#pragma once
#include <cstdint>

#include "kernels/cpu/partial_sums.h"

namespace attend::kernels {

/// The gradient of parameters that all rows of a step share. Each row has its own partial sum, so
/// threads need no lock.
template <class T>
class GradientByRow {
 public:
  /// `to` [size] is the gradient that add_up() adds to; null (forward pass) allocates nothing.
  GradientByRow(T* to, int64_t rows, int64_t size)
      : to_(to), size_(size), parts_(to != nullptr ? rows : 0, /*block=*/1, size) {}

  /// [size] The partial sum of a row, to add to.
  [[nodiscard]] T* row(int64_t row) { return parts_.of(row); }

  /// Adds all partial sums to the gradient; call it after the last step.
  void add_up() { parts_.add_to(0, size_, to_); }

 private:
  T* to_;
  int64_t size_;
  PartialSums<T> parts_;
};

}  // namespace attend::kernels
