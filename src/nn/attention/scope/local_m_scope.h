#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/scope/fused_scope.h"

namespace attend::nn {

/// Monotonic local attention: target position t sees [t - D, t + D] (D: `window`). Luong, Pham &
/// Manning (2015), arXiv 1508.04025, Sec. 3.2. The centre stays inside the sentence, so a
/// translation longer than its source still sees the last words.
class LocalMonotonicScope final : public AttentionScope, public FusedScope {
 public:
  LocalMonotonicScope(const AttentionOptions& options, ScoreSizes sizes);

  [[nodiscard]] View make_view(const torch::Tensor& query, const Memory& memory,
                               int64_t position) const override;
  [[nodiscard]] const FusedScope* fused() const override { return this; }
  [[nodiscard]] fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                       int64_t position) const override;
  void initialize(const at::Generator&) override {}

 private:
  int64_t reach_;  // D
};

}  // namespace attend::nn
