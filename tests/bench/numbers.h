#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/bf16.h"

namespace attend::kernels {

/// Numbers in [-1, 1] of no special form: nothing is denormal and no two neighbours are equal.
inline std::vector<float> numbers(int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  double angle = 0.0;
  for (float& value : values) value = static_cast<float>(std::sin(angle += 0.7));
  return values;
}

inline std::vector<Bf16> rounded_numbers(int64_t count) {
  std::vector<Bf16> rounded(static_cast<std::size_t>(count));
  to_bf16(numbers(count).data(), rounded.data(), count);
  return rounded;
}

}  // namespace attend::kernels
