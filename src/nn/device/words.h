#pragma once
#include <torch/types.h>

namespace attend::nn::device {

/// The rows `ids` [...] int64 of `weight` [V, E]: [..., E]. The backward pass adds them to
/// gradient_in_place(weight), on a GPU in any order. Requires: that memory is defined.
[[nodiscard]] torch::Tensor gathered_words(const torch::Tensor& weight, const torch::Tensor& ids);

}  // namespace attend::nn::device
