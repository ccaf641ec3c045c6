#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Concat score: e[t,s] = w^T tanh(W [q_t; k_s] + b). Luong, Pham & Manning (2015), arXiv
/// 1508.04025, Sec. 3.1 (without b). With W = [W_q W_k] it equals the additive score. The product
/// is computed in two parts, so that the part for the keys is computed once per sentence.
class ConcatScore final : public AttentionScore, public FusedScore {
 public:
  ConcatScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: W_k k + b.
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
  int64_t query_size_;
  torch::Tensor weight_;  // [A, H + C]
  torch::Tensor bias_;    // [A]
  torch::Tensor vector_;  // [A] or [C, A], w
};

}  // namespace attend::nn
