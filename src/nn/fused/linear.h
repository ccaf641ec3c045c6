#pragma once
#include <torch/types.h>

#include <array>

namespace attend::nn::fused {

/// x [..., in] and weight [out, in] -> x W^T + bias [..., out] by the products of kernels, float or
/// double on the CPU. `bias` [out]; undefined: none. Where uses_bf16(x) operands are rounded to
/// bf16, in the backward pass too, and sums are in float. Gradients of parameters go to
/// gradient_in_place() where there is one.
[[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                                   const torch::Tensor& bias = {});

/// The same x times each of up to three weights, without biases, so that the gradient of x is one
/// sum: [..., out] of each, undefined where the weight is. Requires: undefined weights stand last.
[[nodiscard]] std::array<torch::Tensor, 3> linears(const torch::Tensor& x,
                                                   const std::array<torch::Tensor, 3>& weights);

/// Whether linear() is worth while for x: is_fusible(x), a gradient is recorded, and the kernels'
/// products are faster here than LibTorch's, or x is in double, which has them to be checked.
[[nodiscard]] bool has_fused_linear(const torch::Tensor& x);

}  // namespace attend::nn::fused
