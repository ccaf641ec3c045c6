#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn::fused {

/// Cache of a causal self-attention during search, where rows are hypotheses. For each position it
/// holds the keys and values of the rows at that step. Selecting hypotheses does not move them:
/// `ancestors`, shared by all layers, tells which row each hypothesis descends from.
struct StepHistory {
  std::vector<torch::Tensor> keys;    // per position [N at that step, C], prepared by the score
  std::vector<torch::Tensor> values;  // per position [N at that step, C]

  [[nodiscard]] bool empty() const { return values.empty(); }
};

/// One query per row on several heads.
struct StepQuery {
  torch::Tensor query;  // [N, C]
  int64_t heads = 1;
  bool weights_wanted = false;
  int64_t position = 0;     // position of all queries, for the bias
  torch::Tensor bias = {};  // by distance (distance_bias.h); undefined: none
};

struct StepOutput {
  torch::Tensor context;  // [N, C]
  torch::Tensor weights;  // [N, h, S]; undefined unless wanted
};

/// Attends to the positions of `history` (kernels::StepAttention); ancestors [N, t] int64. Float or
/// double on the CPU, without gradient.
[[nodiscard]] StepOutput step_attention(const StepQuery& asked, const StepHistory& history,
                                        const torch::Tensor& ancestors);

/// Keys and values of source sentences.
struct StepMemory {
  torch::Tensor keys;     // [B, h, S, C / h], contiguous in the last dimension
  torch::Tensor values;   // [B, h, S, C / h], likewise contiguous
  torch::Tensor lengths;  // [B] int64
  torch::Tensor owners;   // [N] int64 the sentence of each row; undefined: row i is sentence i
};
[[nodiscard]] StepOutput step_attention(const StepQuery& asked, const StepMemory& memory);

}  // namespace attend::nn::fused
