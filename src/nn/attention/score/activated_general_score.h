#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Activated general score: e[t,s] = tanh(q_t^T W k_s + b) with a scalar b. Ma, Li, Zhang & Wang
/// (2017), arXiv 1709.00893, Sec. 2.2; named as in Galassi et al. (2021), arXiv 1902.02181.
/// Energies stay within +-1, so under softmax no weight is more than e^2 times another.
class ActivatedGeneralScore final : public AttentionScore, public FusedScore {
 public:
  ActivatedGeneralScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, H]: W k.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;  // [H, C]
  torch::Tensor bias_;    // [1]
};

}  // namespace attend::nn
