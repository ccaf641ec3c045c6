#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn::fused {

/// What a causal self-attention keeps of a search, rows being hypotheses: of each position the keys
/// and values of the rows that there were then. They stay where they are when hypotheses go on from
/// others; who descends from whom is in `ancestors`, which one attention of a stack shares with the
/// others.
struct StepHistory {
  std::vector<torch::Tensor> keys;    // of each position [N then, C], as the score prepared them
  std::vector<torch::Tensor> values;  // [N then, C]

  [[nodiscard]] bool empty() const { return values.empty(); }
};

/// One query a row on several heads.
struct StepQuery {
  torch::Tensor query;  // [N, C]
  int64_t heads = 1;
  bool weights_wanted = false;
  int64_t position = 0;     // of all queries, as far as the bias goes by it
  torch::Tensor bias = {};  // by distance (distance_bias.h); undefined: none
};

struct StepAnswer {
  torch::Tensor context;  // [N, C]
  torch::Tensor weights;  // [N, h, S]; undefined unless wanted
};

/// Over the positions of `history` by kernels::StepAttention; ancestors [N, t] int64. Float or
/// double on the CPU, without gradient.
[[nodiscard]] StepAnswer step_attention(const StepQuery& asked, const StepHistory& history,
                                        const torch::Tensor& ancestors);

/// What step_attention() reads of a source.
struct StepMemory {
  torch::Tensor keys;     // [B, h, S, C / h], of any strides but the last
  torch::Tensor values;   // the same
  torch::Tensor lengths;  // [B] int64
  torch::Tensor owners;   // [N] int64 the sentence of each row; undefined: row i is sentence i
};
[[nodiscard]] StepAnswer step_attention(const StepQuery& asked, const StepMemory& memory);

}  // namespace attend::nn::fused
