#pragma once
#include "nn/fused/head_attention.h"

namespace attend::nn::device {

/// The same as fused::head_attention() on a device: LibTorch's scaled_dot_product_attention, which
/// keeps no [N, h, T, S] in memory, where it can be used (LibTorch 2.1 or later, no weights wanted,
/// a mask of dropout that LibTorch draws), otherwise products and softmax. Inputs may be in bf16.
/// If they are, or uses_bf16(query), the former is in bf16 and returns bf16.
[[nodiscard]] fused::HeadAttended head_attention(const fused::HeadAttention& attention,
                                                 bool weights_wanted);

}  // namespace attend::nn::device
