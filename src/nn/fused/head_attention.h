#pragma once
#include <torch/types.h>

#include <cstdint>

#include "nn/dropout.h"

namespace attend::nn::fused {

/// Dot-product attention of whole sequences on h heads: softmax(query keys^T + bias) values over
/// the positions each query sees, by kernels::HeadAttention. Float or double on the CPU.
struct HeadAttention {
  torch::Tensor query;       // [N, h, T, D]
  torch::Tensor keys;        // [N, h, S, D], scaled already
  torch::Tensor values;      // [N, h, S, C]
  torch::Tensor lengths;     // [N] or [1] int64: real positions of each sentence or of all
  bool causal = false;       // queries see no position behind their own
  int64_t position = 0;      // of the first query
  DropoutMask dropout = {};  // of the weights; probability 0: none
  torch::Tensor bias = {};   // by distance (distance_bias.h); undefined: none
};

struct HeadAttended {
  torch::Tensor context;  // [N, h, T, C], which transposed to [N, T, h, C] is dense
  torch::Tensor weights;  // [N, h, T, S] before dropout; undefined unless wanted
};

/// `weights_wanted`: otherwise no [N, h, T, S] is ever in memory; what the gradient needs of them
/// is computed again.
[[nodiscard]] HeadAttended head_attention(const HeadAttention& attention, bool weights_wanted);

}  // namespace attend::nn::fused
