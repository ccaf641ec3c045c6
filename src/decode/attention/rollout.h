#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::decode {

/// Attention rollout (Abnar & Zuidema 2020, arXiv 2005.00928, Sec. 3): how much each position at
/// the top of a stack of self-attention layers has of each word below, taken for sums along the
/// paths between them. With W the mean over a layer's heads and residual connections counted as
/// half of what goes on,
///   R_1 = A_1,  R_i = A_i R_(i-1),  A_i = (W_i + I) / 2.
/// Rows of W that do not sum to 1 are scaled to, and those of zeros stand for the position itself.
/// `layers`: [heads, S, S] each, lowest first, rows look at columns; not empty. Returns [S, S] in
/// their type; rows sum to 1.
[[nodiscard]] torch::Tensor rollout(const std::vector<torch::Tensor>& layers);

}  // namespace attend::decode
