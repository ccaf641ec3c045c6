#pragma once
#include <cstdint>
#include <vector>

namespace attend::kernels {

/// The gradient of numbers that all rows of a step read: a part for each row, so that threads do
/// not meet.
template <class T>
class GradientByRow {
 public:
  /// The gradient `to` [size] is added to; null, in the forward pass: there is no memory.
  GradientByRow(T* to, int64_t rows, int64_t size) : to_(to), size_(size) {
    if (to != nullptr) parts_.resize(static_cast<std::size_t>(rows * size));
  }

  /// [size], added to.
  [[nodiscard]] T* row(int64_t row) { return parts_.data() + row * size_; }

  /// After the last step.
  void add_up() {
    const auto end = static_cast<int64_t>(parts_.size());
    for (int64_t begin = 0; begin < end; begin += size_) {
      for (int64_t i = 0; i < size_; ++i) to_[i] += parts_[static_cast<std::size_t>(begin + i)];
    }
  }

 private:
  T* to_;
  int64_t size_;
  std::vector<T> parts_;
};

}  // namespace attend::kernels
