#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Bilinear ("general") score: e[t,s] = q_t^T W k_s. Luong, Pham & Manning (2015), arXiv
/// 1508.04025, Sec. 3.1. The keys are multiplied by W once per sentence; a step costs one product.
class GeneralScore final : public AttentionScore, public FusedDotScore {
 public:
  GeneralScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, H]: W k.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;  // [H, C]
};

}  // namespace attend::nn
