#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Coverage score: also reads how much attention each source word has received so far,
///   e[t,s] = w^T tanh(W_k k_s + W_q q_t + U cov[t,s] + b),  cov[t,s] = sum_{i<t} a[i,s] / Phi_s.
/// Phi_s = 1, or with `fertility: N` above 0 the learned fertility Phi_s = N sigma(u^T k_s), at
/// least 0.001: the number of target words that a source word is expected to yield. Tu et al.
/// (2016), arXiv 1601.04811, Sec. 3.1, "linguistic coverage".
class CoverageScore final : public AttentionScore, public FusedScore {
 public:
  CoverageScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: W_k k + b. With fertility [B, S, A + 1], with 1 / Phi as the last column.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  /// Reads state.coverage.
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] bool reads_history() const override { return true; }
  /// Null with `per_feature`.
  [[nodiscard]] const FusedScore* fused() const override {
    return vector_.dim() == 1 ? this : nullptr;
  }
  [[nodiscard]] std::string plain_reason() const override { return "attention.per_feature"; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  double largest_fertility_;        // N; 0: no fertility is learned
  torch::Tensor key_weight_;        // [A, C]
  torch::Tensor query_weight_;      // [A, H]
  torch::Tensor coverage_weight_;   // [A], U
  torch::Tensor bias_;              // [A]
  torch::Tensor vector_;            // [A] or [C, A], w
  torch::Tensor fertility_weight_;  // [C], u; undefined without fertility
};

}  // namespace attend::nn
