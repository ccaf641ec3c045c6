#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attend::kernels {

/// Varied numbers in [-1, 1]: none is denormal, and neighbours are never equal.
inline std::vector<float> numbers(int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  double angle = 0.0;
  for (float& value : values) value = static_cast<float>(std::sin(angle += 0.7));
  return values;
}

}  // namespace attend::kernels
