#pragma once
#include <torch/types.h>

#include <array>

namespace attend::nn::fused {

/// x [..., in], weight [out, in] and bias [out] (undefined: none) -> x W^T + bias [..., out],
/// computed by kernels/product. Float or double on the CPU. If uses_bf16(x), operands are rounded
/// to bf16 in both passes, and sums are in float. Adds gradients of parameters to
/// gradient_in_place() if it is defined.
[[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                                   const torch::Tensor& bias = {});

/// Multiplies x by up to three weights, without biases. One function for all, so that the gradient
/// of x is one sum. Returns [..., out] for each defined weight. Requires: undefined weights come
/// last.
[[nodiscard]] std::array<torch::Tensor, 3> linears(const torch::Tensor& x,
                                                   const std::array<torch::Tensor, 3>& weights);

/// Returns true if linear() should be used for x: is_fusible(x), a gradient is recorded, and either
/// the kernels' products are faster here than LibTorch's, or x is double, for tests of the kernels.
[[nodiscard]] bool has_fused_linear(const torch::Tensor& x);

}  // namespace attend::nn::fused
