#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Content addressing: e[t,s] = beta cos(W q_t, k_s) with a learned beta = log(1 + exp(b)) > 0.
/// Graves, Wayne & Danihelka (2014), arXiv 1410.5401, Eq. 5, 6. Norms below 1e-8 count as 1e-8.
/// beta starts at 10: energies within +-10 suffice for a sharp peak in a long sentence.
class CosineScore final : public AttentionScore, public FusedScore {
 public:
  CosineScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, C]: the keys normalised to length 1.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;     // [C, H], W
  torch::Tensor sharpness_;  // [1], b
};

}  // namespace attend::nn
