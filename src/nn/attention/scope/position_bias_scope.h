#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/scope/fused_scope.h"

namespace attend::nn {

/// Shows every real source position and adds a learned bias b[s - t] to its energy, for source
/// position s and target position t. Distances beyond +-R (`max_distance`) share the outermost
/// bias. This is the positional mask of Shen et al. (2018), arXiv 1709.04696, but learned, and
/// clipped as in Shaw et al. (2018), arXiv 1803.02155, Sec. 3.2. Each head has its own biases, as
/// in Raffel et al. (2020), arXiv 1910.10683, Sec. 2.1. All biases start at 0.
class PositionBiasScope final : public AttentionScope, public FusedScope {
 public:
  PositionBiasScope(const AttentionOptions& options, ScoreSizes sizes);

  [[nodiscard]] View make_view(const torch::Tensor& query, const Memory& memory,
                               int64_t position) const override;
  [[nodiscard]] std::optional<WholeView> whole_view() const override;
  [[nodiscard]] const FusedScope* fused() const override { return this; }
  [[nodiscard]] fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                       int64_t position) const override;
  void initialize(const at::Generator& generator) override;

 private:
  int64_t max_distance_;  // R
  torch::Tensor bias_;    // [2 R + 1] for the distances -R..R; with several heads [h, 2 R + 1]
};

}  // namespace attend::nn
