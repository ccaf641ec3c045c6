#pragma once
#include "nn/attention/options.h"
#include "nn/attention/scope.h"

namespace attend::nn {

/// Every real source position (Luong et al. 2015, Sec. 3.1).
class GlobalScope final : public AttentionScope {
 public:
  explicit GlobalScope(const AttentionOptions& options);

  [[nodiscard]] Scoped apply(const torch::Tensor& energies, const torch::Tensor& query,
                             const Memory& memory, int64_t position) const override;
  void initialize(const at::Generator&) override {}
};

}  // namespace attend::nn
