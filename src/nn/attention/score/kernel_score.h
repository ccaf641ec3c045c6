#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Kernel score: e[t,s] = log(phi(W_q q_t)^T phi(W_k k_s)) with phi(x) = elu(x) + 1 > 0, so that
/// under softmax the weights are the kernel values divided by their sum. phi: Katharopoulos et al.
/// (2020), arXiv 2006.16236; attention with a general kernel: Choromanski et al. (2021), arXiv
/// 2009.14794. Kernel values below 1e-30 count as 1e-30.
class KernelScore final : public AttentionScore, public FusedScore {
 public:
  KernelScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: phi(W_k k).
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor key_weight_;    // [A, C]
  torch::Tensor query_weight_;  // [A, H]
};

}  // namespace attend::nn
