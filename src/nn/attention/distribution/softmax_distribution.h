#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// weights = softmax(energies / temperature) over the unmasked positions. Bahdanau et al. (2015),
/// Eq. 6; the temperature as in Hinton, Vinyals & Dean (2015).
class SoftmaxDistribution final : public AttentionDistribution {
 public:
  explicit SoftmaxDistribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  [[nodiscard]] bool is_plain_softmax() const override { return temperature_ == 1.0; }
  [[nodiscard]] std::string plain_reason() const override { return "attention.temperature"; }
  [[nodiscard]] std::optional<kernels::Distribution> fused() const override {
    return kernels::Distribution{kernels::DistributionKind::softmax, temperature_};
  }
  void initialize(const at::Generator&) override {}

 private:
  double temperature_;
};

}  // namespace attend::nn
