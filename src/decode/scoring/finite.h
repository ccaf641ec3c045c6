#pragma once
#include <span>

#include <torch/types.h>

namespace attend::decode {

/// Throws NumericError if any of the numbers that a model has put out is infinite or not a number.
void require_finite(std::span<const double> numbers);
void require_finite(const torch::Tensor& numbers);

}  // namespace attend::decode
