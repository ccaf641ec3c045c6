#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Biased general score: e[t,s] = k_s^T (W q_t + b), the bilinear score plus a term that depends on
/// the key alone. Sordoni, Bachman, Trischler & Bengio (2016), arXiv 1606.02245, Sec. 3; named as
/// in Galassi et al. (2021), arXiv 1902.02181.
class BiasedGeneralScore final : public AttentionScore, public FusedScore {
 public:
  BiasedGeneralScore(const AttentionOptions& options, ScoreSizes sizes);

  /// The keys themselves.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;  // [C, H]
  torch::Tensor bias_;    // [C]
};

}  // namespace attend::nn
