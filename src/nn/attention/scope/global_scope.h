#pragma once
#include "nn/attention/registry.h"
#include "nn/attention/scope/fused_scope.h"

namespace attend::nn {

/// Shows every real source position (Luong et al. 2015, Sec. 3.1).
class GlobalScope final : public AttentionScope, public FusedScope {
 public:
  GlobalScope(const AttentionOptions& options, ScoreSizes sizes);

  [[nodiscard]] View make_view(const torch::Tensor& query, const Memory& memory,
                               int64_t position) const override;
  [[nodiscard]] bool is_global() const override { return true; }
  [[nodiscard]] std::optional<WholeView> whole_view() const override { return WholeView{}; }
  [[nodiscard]] const FusedScope* fused() const override { return this; }
  [[nodiscard]] fused::LoopView unroll(fused::Loop& loop, fused::LoopValue query,
                                       int64_t position) const override;
  void initialize(const at::Generator&) override {}
};

}  // namespace attend::nn
