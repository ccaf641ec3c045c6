#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace attend::server {

/// Vectors of one size in a byte for each component and 4 bytes for each vector: rounded to 127
/// steps to either side of 0, up to the vector's largest component.
class VectorRows {
 public:
  explicit VectorRows(int64_t size) : size_(size) {}

  /// Makes room for so many rows, no more.
  void reserve(int64_t rows) {
    values_.reserve(static_cast<std::size_t>(rows * size_));
    scales_.reserve(static_cast<std::size_t>(rows));
  }
  /// Requires: as many components as the others have.
  void add(std::span<const float> vector);
  /// Rows.
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(scales_.size()); }
  /// The rows with the largest products with `vector`, the largest first; at most `most`. Of equal
  /// ones the first.
  [[nodiscard]] std::vector<int64_t> closest(std::span<const float> vector, int64_t most) const;

 private:
  [[nodiscard]] float product(int64_t row, std::span<const float> vector) const;

  int64_t size_;
  std::vector<int8_t> values_;
  std::vector<float> scales_;
};

}  // namespace attend::server
