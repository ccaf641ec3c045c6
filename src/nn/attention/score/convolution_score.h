#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Convolution score: the additive score over a window of n keys (n: `width`, odd),
///   e[t,s] = w^T tanh(sum_i W_i k_{s+i} + W_q q_t + b),  i = -(n-1)/2 ... (n-1)/2,
/// with zero keys beyond the sentence. After Du et al. (2018), cited by Galassi et al. (2021),
/// arXiv 1902.02181, for convolution-based compatibility. With n = 1 it is the additive score.
class ConvolutionScore final : public AttentionScore, public FusedScore {
 public:
  ConvolutionScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: the convolved keys + b.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  /// Null with `per_feature`.
  [[nodiscard]] const FusedScore* fused() const override {
    return vector_.dim() == 1 ? this : nullptr;
  }
  [[nodiscard]] std::string plain_reason() const override { return "attention.per_feature"; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor key_weight_;    // [A, C, n]
  torch::Tensor query_weight_;  // [A, H]
  torch::Tensor bias_;          // [A]
  torch::Tensor vector_;        // [A] or [C, A], w
};

}  // namespace attend::nn
