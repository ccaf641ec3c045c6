#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::decode {

/// Attention rollout (Abnar & Zuidema 2020, arXiv 2005.00928, Sec. 3): the share of each word in
/// each position at the top of a stack of self-attention layers, summed over all paths. With W the
/// mean over a layer's heads, and residual connections counted as half,
///   R_1 = A_1,  R_i = A_i R_(i-1),  A_i = (W_i + I) / 2.
/// Rows of W are scaled to sum to 1; a row of zeros becomes the row of I. `layers`: [heads, S, S]
/// each, lowest first, rows attend to columns; not empty. Returns [S, S] in their type; rows sum to
/// 1.
[[nodiscard]] torch::Tensor rollout(const std::vector<torch::Tensor>& layers);

}  // namespace attend::decode
