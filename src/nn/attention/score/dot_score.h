#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Dot score: e[t,s] = q_t^T k_s. Luong, Pham & Manning (2015), arXiv 1508.04025, Sec. 3.1.
/// Throws ConfigError if query and memory differ in size.
class DotScore final : public AttentionScore, public FusedDotScore {
 public:
  DotScore(const AttentionOptions& options, ScoreSizes sizes);

  /// The keys themselves.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  void initialize(const at::Generator&) override {}
};

/// Throws ConfigError with the name `score` and both sizes unless they are equal.
void require_equal_sizes(ScoreKind score, ScoreSizes sizes);

}  // namespace attend::nn
