#pragma once
#include "nn/attention/registry.h"

namespace attend::nn {

/// Every real source position (Luong et al. 2015, Sec. 3.1).
class GlobalScope final : public AttentionScope {
 public:
  GlobalScope(const AttentionOptions& options, ScoreSizes sizes);

  [[nodiscard]] View look(const torch::Tensor& query, const Memory& memory,
                          int64_t position) const override;
  [[nodiscard]] bool is_global() const override { return true; }
  void initialize(const at::Generator&) override {}
};

}  // namespace attend::nn
