#pragma once
#include <torch/types.h>

#include <type_traits>

#include "kernels/attention/head_attention.h"

namespace attend::nn::fused {

/// `x` [N, h, L, d] with contiguous features, as kernels require.
[[nodiscard]] inline torch::Tensor with_dense_features(const torch::Tensor& x) {
  return x.stride(3) == 1 ? x : x.contiguous();
}

/// Converts x [N, h, L, d] with contiguous features for a kernel.
template <class T>
[[nodiscard]] kernels::HeadRows<T> head_rows(const torch::Tensor& x) {
  return {x.data_ptr<std::remove_const_t<T>>(), x.stride(0), x.stride(1), x.stride(2)};
}

}  // namespace attend::nn::fused
