#pragma once
#include "nn/attention/scope/scope.h"

namespace attend::nn {

/// Restricts another scope to positions up to the query's own: the mask of a decoder's
/// self-attention (Vaswani et al. 2017, arXiv 1706.03762, Sec. 3.2.3).
class CausalScope final : public AttentionScope {
 public:
  explicit CausalScope(std::shared_ptr<AttentionScope> scope);

  [[nodiscard]] View make_view(const torch::Tensor& query, const Memory& memory,
                               int64_t position) const override;
  [[nodiscard]] std::optional<WholeView> whole_view() const override;
  [[nodiscard]] std::string plain_reason() const override { return scope_->plain_reason(); }
  void initialize(const at::Generator&) override {}

 private:
  std::shared_ptr<AttentionScope> scope_;
};

}  // namespace attend::nn
