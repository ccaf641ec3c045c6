#pragma once
#include <cstdint>

#include "kernels/cpu/partial_sums.h"

namespace attend::kernels {

/// The gradient of numbers that all rows of a step read: a part for each row, so that threads do
/// not meet.
template <class T>
class GradientByRow {
 public:
  /// The gradient `to` [size] is added to; null, in the forward pass: there is no memory.
  GradientByRow(T* to, int64_t rows, int64_t size)
      : to_(to), size_(size), parts_(to != nullptr ? rows : 0, /*block=*/1, size) {}

  /// [size], added to.
  [[nodiscard]] T* row(int64_t row) { return parts_.of(row); }

  /// After the last step.
  void add_up() { parts_.add_to(0, size_, to_); }

 private:
  T* to_;
  int64_t size_;
  PartialSums<T> parts_;
};

}  // namespace attend::kernels
