#pragma once
#include <torch/types.h>

namespace attend::nn::device {

/// The rows `ids` [...] int64 of `weight` [V, E]: [..., E]. The backward pass adds their gradients
/// to gradient_in_place(weight); on a GPU the order of summation varies. Requires: that memory is
/// defined.
[[nodiscard]] torch::Tensor gathered_words(const torch::Tensor& weight, const torch::Tensor& ids);

}  // namespace attend::nn::device
