#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Location-aware score: also reads the weights of the previous step,
///   e[t,s] = w^T tanh(W_k k_s + W_q q_t + U f[t,s] + b),  f[t] = F * a[t-1]
/// where F are `filters` convolution filters of `width` (odd) over the previous step's weights
/// a[t-1], which are zero before the first step and beyond the sentence. Chorowski et al. (2015),
/// arXiv 1506.07503, Eq. 8, 9.
class LocationAwareScore final : public AttentionScore, public FusedScore {
 public:
  LocationAwareScore(const AttentionOptions& options, ScoreSizes sizes);

  /// [B, S, A]: W_k k + b.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  /// Reads state.previous.
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  [[nodiscard]] bool reads_history() const override { return true; }
  /// False: the filters read the weights of neighbouring positions.
  [[nodiscard]] bool is_pointwise() const override { return false; }
  /// Null with `per_feature`.
  [[nodiscard]] const FusedScore* fused() const override {
    return vector_.dim() == 1 ? this : nullptr;
  }
  [[nodiscard]] std::string plain_reason() const override { return "attention.per_feature"; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor key_weight_;      // [A, C]
  torch::Tensor query_weight_;    // [A, H]
  torch::Tensor filters_;         // [filters, 1, width], F
  torch::Tensor feature_weight_;  // [A, filters], U
  torch::Tensor bias_;            // [A]
  torch::Tensor vector_;          // [A] or [C, A], w
};

}  // namespace attend::nn
