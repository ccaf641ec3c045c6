#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// 1.5-entmax, between softmax and sparsemax: weights = max(e_s / 2 - tau, 0)^2, with exact zeros
/// for low energies. tau is found exactly by sorting (Peters, Niculae & Martins 2019, arXiv
/// 1905.05702, Alg. 2). The gradient has a closed form (their Prop. 2 with alpha = 1.5) and cannot
/// be differentiated again.
class Entmax15Distribution final : public AttentionDistribution {
 public:
  explicit Entmax15Distribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  [[nodiscard]] std::optional<kernels::Distribution> fused() const override {
    return kernels::Distribution{kernels::DistributionKind::entmax15};
  }
  void initialize(const at::Generator&) override {}
};

}  // namespace attend::nn
