#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Zeroes each element with `probability` and scales the rest by 1 / (1 - probability) (Srivastava
/// et al. 2014); the tensor itself where `active` is false or the probability 0. Draws from
/// LibTorch's default generator.
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, double probability, bool active);

/// A mask [rows, size] of 0 and 1 / (1 - probability), to be used for every step of a sequence;
/// undefined where dropout() would do nothing.
[[nodiscard]] torch::Tensor dropout_mask(int64_t rows, int64_t size, double probability,
                                         bool active, const torch::Tensor& like);

}  // namespace attend::nn
