#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// weights = the point of the simplex nearest to the energies, max(e_s - tau, 0): exact zeros for
/// low energies. tau is found exactly by sorting (Martins & Astudillo 2016, arXiv 1602.02068, Alg.
/// 1); the gradient is the closed form of their Sec. 2.5. It cannot be differentiated twice.
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
