#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/scope/fused_scope.h"

namespace attend::nn {

/// Predictive local attention: the query predicts the centre of its window,
///   p_t = S sigma(v^T tanh(W q_t))
/// (S: the length of this sentence; positions count from 0). It sees the positions within D of p_t
/// (D: `window`). After the distribution, weights are multiplied by exp(-(s - p_t)^2 / (2 (D /
/// 2)^2)), so that a row sums to at most 1. Luong, Pham & Manning (2015), arXiv 1508.04025, Sec.
/// 3.2, Eq. 9, 10. The gradient reaches p_t through the Gaussian, not through the window's edge.
class LocalPredictiveScope final : public AttentionScope, public FusedScope {
 public:
  LocalPredictiveScope(const AttentionOptions& options, ScoreSizes sizes);

  [[nodiscard]] View make_view(const torch::Tensor& query, const Memory& memory,
                               int64_t position) const override;
  [[nodiscard]] const FusedScope* fused() const override { return this; }
  [[nodiscard]] fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                       int64_t position) const override;
  void initialize(const at::Generator& generator) override;

 private:
  int64_t reach_;         // D
  torch::Tensor weight_;  // [A, H], W
  torch::Tensor vector_;  // [A], v
};

}  // namespace attend::nn
