#pragma once
#include <cstdint>
#include <vector>

namespace attend::kernels {

/// Column sums over rows with one partial sum per block of rows. One thread computes each block,
/// and the blocks are added in order, so the result is the same for any number of threads.
template <class T>
class PartialSums {
 public:
  /// Allocates `width` sums over `rows` rows in blocks of `block`, initially zero.
  PartialSums(int64_t rows, int64_t block, int64_t width)
      : block_(block),
        width_(width),
        sums_(static_cast<std::size_t>((rows + block - 1) / block * width)) {}

  /// [width] The sums of the block that contains `row`.
  [[nodiscard]] T* of(int64_t row) { return sums_.data() + row / block_ * width_; }

  /// Adds the sums of columns [first, first + count) to `to` [count].
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
