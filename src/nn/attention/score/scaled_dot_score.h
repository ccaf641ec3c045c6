#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Scaled dot score: e[t,s] = q_t^T k_s / sqrt(C). Vaswani et al. (2017), arXiv 1706.03762, Eq. 1.
/// With `learned_scale` the factor is a learned g that starts at 1 / sqrt(C). Throws ConfigError if
/// query and memory differ in size.
class ScaledDotScore final : public AttentionScore, public FusedDotScore {
 public:
  ScaledDotScore(const AttentionOptions& options, ScoreSizes sizes);

  /// The keys times the factor, so that a step costs no more than with the dot score.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  void initialize(const at::Generator& generator) override;

 private:
  double factor_;        // 1 / sqrt(C)
  torch::Tensor scale_;  // [1], g; undefined unless learned
};

}  // namespace attend::nn
