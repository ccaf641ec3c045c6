#pragma once
#include "nn/fused/head_attention.h"

namespace attend::nn::device {

/// fused::head_attention() for a device. Uses LibTorch's scaled_dot_product_attention, which stores
/// no [N, h, T, S] tensor, where possible: LibTorch 2.1 or later, no weights wanted, dropout masks
/// drawn by LibTorch. Otherwise computes products and softmax. Inputs may be in bf16. If they are,
/// or if uses_bf16(query), scaled_dot_product_attention computes in bf16 and returns bf16.
[[nodiscard]] fused::HeadAttended head_attention(const fused::HeadAttention& attention,
                                                 bool weights_wanted);

}  // namespace attend::nn::device
