#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Additive score: e[t,s] = w^T tanh(W_k k_s + W_q q_t + b).
/// Bahdanau, Cho & Bengio (2015), arXiv 1409.0473, App. A.1.2. With `normalized`, w is replaced by
/// g w / ||w|| (weight normalisation, Salimans & Kingma 2016, arXiv 1602.07868, Eq. 2).
class AdditiveScore final : public AttentionScore, public FusedScore {
 public:
  AdditiveScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: W_k k + b.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  /// Null with `per_feature`.
  [[nodiscard]] const FusedScore* fused() const override;
  [[nodiscard]] std::string plain_reason() const override { return "attention.per_feature"; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  /// w, or g w / ||w|| with `normalized`.
  [[nodiscard]] torch::Tensor importance() const;

  torch::Tensor key_weight_;    // [A, C]
  torch::Tensor query_weight_;  // [A, H]
  torch::Tensor bias_;          // [A]
  torch::Tensor vector_;        // [A] or [C, A], w
  torch::Tensor scale_;         // [1] or [C, 1], g; undefined unless normalised
};

}  // namespace attend::nn
