#pragma once
#include <torch/types.h>

#include <array>

namespace attend::nn::device {

/// x [..., in] -> x W^T + b [..., out] for tensors that are is_on_device(); `bias` [out] may be
/// undefined. Adds gradients of parameters to gradient_in_place() where it is defined. If
/// uses_bf16(x), the operands of the products of both passes are rounded to bf16, and sums are in
/// float; the weight comes from Execution::rounded if that is set.
[[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                                   const torch::Tensor& bias);

/// The products x W^T for up to three weights (undefined: none), as one product if the weights are
/// adjacent in memory, as the projections of attention heads are.
[[nodiscard]] std::array<torch::Tensor, 3> linears(const torch::Tensor& x,
                                                   const std::array<torch::Tensor, 3>& weights);

/// a [N, K] b [K, M] for operands in bf16, with sums and result in float.
[[nodiscard]] torch::Tensor bf16_product(const torch::Tensor& a, const torch::Tensor& b);

/// `weight` in bf16: from Execution::rounded, or rounded now.
[[nodiscard]] torch::Tensor rounded(const torch::Tensor& weight);

}  // namespace attend::nn::device
