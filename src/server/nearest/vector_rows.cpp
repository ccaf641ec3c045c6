#include "server/nearest/vector_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace attend::server {

void VectorRows::add(std::span<const float> vector) {
  if (std::ssize(vector) != size_) throw std::logic_error("VectorRows: the vector size differs");
  float largest = 0.0F;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  const float scale = largest > 0.0F ? largest / 127.0F : 1.0F;
  for (const float value : vector)
    values_.push_back(static_cast<int8_t>(std::lround(value / scale)));
  scales_.push_back(scale);
}

float VectorRows::product(int64_t row, std::span<const float> vector) const {
  const int8_t* const values = values_.data() + row * size_;
  float sum = 0.0F;
  for (std::size_t i = 0; i < vector.size(); ++i) sum += static_cast<float>(values[i]) * vector[i];
  return sum * scales_[static_cast<std::size_t>(row)];
}

std::vector<int64_t> VectorRows::closest(std::span<const float> vector, int64_t most) const {
  if (std::ssize(vector) != size_) throw std::logic_error("VectorRows: the vector size differs");
  std::vector<float> products;
  for (int64_t row = 0; row < count(); ++row) products.push_back(product(row, vector));
  std::vector<int64_t> rows(products.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto end = rows.begin() + std::min(most, count());
  const auto closer = [&](int64_t a, int64_t b) {
    const float of_a = products[static_cast<std::size_t>(a)];
    const float of_b = products[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  std::partial_sort(rows.begin(), end, rows.end(), closer);
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace attend::server
