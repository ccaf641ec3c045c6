#pragma once
#include <torch/types.h>

#include <array>

namespace attend::nn::device {

/// The type of a product's result. `bf16`: bf16 for bf16 operands. This saves a conversion if only
/// elementwise operations and other bf16 products read the result.
enum class ResultType { weight, bf16 };

/// x [..., in] -> x W^T + b [..., out] for tensors that are is_on_device(); `bias` [out] may be
/// undefined. Adds gradients of parameters to gradient_in_place() where it is defined. If
/// uses_bf16(x), or x is in bf16, both passes round the operands of their products to bf16 and sum
/// in float; the weight comes from Execution::rounded if that is set.
[[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                                   const torch::Tensor& bias,
                                   ResultType result = ResultType::weight);

/// The products x W^T for up to three weights (undefined: none). They are one matrix product if the
/// weights are adjacent in memory, as the projections of attention heads are.
[[nodiscard]] std::array<torch::Tensor, 3> linears(const torch::Tensor& x,
                                                   const std::array<torch::Tensor, 3>& weights,
                                                   ResultType result = ResultType::weight);

/// a [N, K] b [K, M] for operands in bf16. Sums and result are float.
[[nodiscard]] torch::Tensor bf16_product(const torch::Tensor& a, const torch::Tensor& b);

/// `weight` in bf16: from Execution::rounded, or rounded now.
[[nodiscard]] torch::Tensor rounded(const torch::Tensor& weight);

}  // namespace attend::nn::device
