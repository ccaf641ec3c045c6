#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/score/fused_score.h"

namespace attend::nn {

/// Location score: e[t,s] = (W q_t)[s], from the query alone. Luong, Pham & Manning (2015), arXiv
/// 1508.04025, Eq. 8. W has `max_source_length` rows; positions beyond them get no weight.
class LocationScore final : public AttentionScore, public FusedScore {
 public:
  LocationScore(const AttentionOptions& options, ScoreSizes sizes);

  /// Returns the keys themselves; only their number matters.
  [[nodiscard]] torch::Tensor prepare(const Memory& memory) const override;
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state) const override;
  /// False: a position is identified by its number, which a window would lose.
  [[nodiscard]] bool is_pointwise() const override { return false; }
  [[nodiscard]] torch::Tensor visible(const torch::Tensor& mask) const override;
  [[nodiscard]] const FusedScore* fused() const override { return this; }
  [[nodiscard]] LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const override;
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;  // [max_source_length, H]
};

}  // namespace attend::nn
