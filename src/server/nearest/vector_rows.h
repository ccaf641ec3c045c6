#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace attend::server {

/// Stores vectors of one size in one byte per component and 4 bytes per vector. Components are
/// rounded to multiples of 1/127 of the largest absolute component of the vector.
class VectorRows {
 public:
  explicit VectorRows(int64_t size) : size_(size) {}

  /// Reserves memory for exactly `rows` rows.
  void reserve(int64_t rows) {
    values_.reserve(static_cast<std::size_t>(rows * size_));
    scales_.reserve(static_cast<std::size_t>(rows));
  }
  /// Requires: `vector` has `size` components.
  void add(std::span<const float> vector);
  /// Number of rows.
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(scales_.size()); }
  /// The `most` rows, or all, whose dot products with `vector` are largest, in descending order.
  /// Ties are in row order.
  [[nodiscard]] std::vector<int64_t> closest(std::span<const float> vector, int64_t most) const;

 private:
  [[nodiscard]] float product(int64_t row, std::span<const float> vector) const;

  int64_t size_;
  std::vector<int8_t> values_;
  std::vector<float> scales_;
};

}  // namespace attend::server
