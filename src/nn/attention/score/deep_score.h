#pragma once
#include <vector>

#include "nn/attention/registry.h"

namespace attend::nn {

/// Deep score: a network of L tanh layers over query and key,
///   E_1 = tanh(W_k k_s + W_q q_t + b_1),  E_l = tanh(W_l E_{l-1} + b_l),  e[t,s] = w^T E_L
/// (L: `layers`). After Pavlopoulos, Malakasiotis & Androutsopoulos (2017), "Deeper attention to
/// abusive user content moderation", EMNLP, whose input is the key alone. The query enters the
/// first layer, as in Galassi et al. (2021), arXiv 1902.02181.
class DeepScore final : public AttentionScore {
 public:
  DeepScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: W_k k + b_1.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  void initialize(const at::Generator& generator) override;

 private:
  struct Layer {
    torch::Tensor weight;  // [A, A], W_l
    torch::Tensor bias;    // [A], b_l
  };

  torch::Tensor key_weight_;    // [A, C]
  torch::Tensor query_weight_;  // [A, H]
  torch::Tensor bias_;          // [A], b_1
  std::vector<Layer> upper_;    // layers from l = 2 on
  torch::Tensor vector_;        // [A] or [C, A], w
};

}  // namespace attend::nn
