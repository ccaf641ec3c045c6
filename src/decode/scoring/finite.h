#pragma once
#include <span>

#include <torch/types.h>

namespace attend::decode {

/// Throw NumericError if a number is infinite or NaN.
void require_finite(std::span<const double> numbers);
void require_finite(const torch::Tensor& numbers);

}  // namespace attend::decode
