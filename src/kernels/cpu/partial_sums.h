#pragma once
#include <cstdint>
#include <vector>

namespace attend::kernels {

/// Sums over the rows of something, formed block of rows by block of rows, each block by one
/// thread, and added up in their order: the same for any number of threads.
template <class T>
class PartialSums {
 public:
  /// `width` sums over `rows` rows in blocks of `block`, all zero at first.
  PartialSums(int64_t rows, int64_t block, int64_t width)
      : block_(block),
        width_(width),
        sums_(static_cast<std::size_t>((rows + block - 1) / block * width)) {}

  /// [width] of the block that begins with `row`.
  [[nodiscard]] T* of(int64_t row) { return sums_.data() + row / block_ * width_; }

  /// Adds those of columns [first, first + count) to `to` [count].
  void add_to(int64_t first, int64_t count, T* to) const {
    const auto all = static_cast<int64_t>(sums_.size());
    for (int64_t begin = first; begin < all; begin += width_) {
      for (int64_t i = 0; i < count; ++i) to[i] += sums_[static_cast<std::size_t>(begin + i)];
    }
  }

 private:
  int64_t block_;
  int64_t width_;
  std::vector<T> sums_;
};

}  // namespace attend::kernels
