#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// weights = max(e_s - tau, 0), the point of the simplex nearest to the energies, with exact zeros
/// for low energies. tau is found exactly by sorting (Martins & Astudillo 2016, arXiv 1602.02068,
/// Alg. 1). The gradient is the closed form of their Sec. 2.5 and cannot be differentiated again.
class SparsemaxDistribution final : public AttentionDistribution {
 public:
  explicit SparsemaxDistribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  [[nodiscard]] std::optional<kernels::Distribution> fused() const override {
    return kernels::Distribution{kernels::DistributionKind::sparsemax};
  }
  void initialize(const at::Generator&) override {}
};

}  // namespace attend::nn
