#pragma once
#include <torch/types.h>

#include <cstdint>

#include "nn/dropout.h"

namespace attend::nn::fused {

/// Dot-product attention of whole sequences on h heads: softmax(query keys^T + bias) values over
/// the positions that each query sees (kernels::HeadAttention). Float or double on the CPU.
struct HeadAttention {
  torch::Tensor query;       // [N, h, T, D]
  torch::Tensor keys;        // [N, h, S, D], already scaled
  torch::Tensor values;      // [N, h, S, C]
  torch::Tensor lengths;     // [N] or [1] int64: real positions of each sentence, or of all
  bool causal = false;       // queries see no later position than their own
  int64_t position = 0;      // position of the first query
  DropoutMask dropout = {};  // on the weights; probability 0: none
  torch::Tensor bias = {};   // by distance (distance_bias.h); undefined: none
};

struct HeadAttended {
  torch::Tensor context;  // [N, h, T, C]; its transpose [N, T, h, C] is contiguous
  torch::Tensor weights;  // [N, h, T, S] before dropout; undefined unless wanted
};

/// Without `weights_wanted`, no [N, h, T, S] tensor is ever in memory: the backward pass recomputes
/// the weights.
[[nodiscard]] HeadAttended head_attention(const HeadAttention& attention, bool weights_wanted);

}  // namespace attend::nn::fused
