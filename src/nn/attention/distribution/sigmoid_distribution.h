#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// weights = sigma(energies): each position is weighted independently, and a row need not sum to 1.
/// With `sum_to_one` a row is divided by its sum. Galassi et al. (2021), arXiv 1902.02181, Sec.
/// 3.3; used in self-attention, with the division, by Rei & Søgaard (2018), arXiv 1805.02214.
class SigmoidDistribution final : public AttentionDistribution {
 public:
  explicit SigmoidDistribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  [[nodiscard]] std::optional<kernels::Distribution> fused() const override {
    return kernels::Distribution{sum_to_one_ ? kernels::DistributionKind::sigmoid_share
                                             : kernels::DistributionKind::sigmoid};
  }
  void initialize(const at::Generator&) override {}

 private:
  bool sum_to_one_;
};

}  // namespace attend::nn
