#pragma once
#include "nn/attention/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// Stands for "no weight": far below any real energy, yet finite, so that a row without any
/// position stays free of NaN in both directions.
inline constexpr double kLowestEnergy = -1e30;

/// weights = softmax(energies / temperature) over the positions of the mask. Bahdanau et al.
/// (2015), Eq. 6; the temperature as in Hinton, Vinyals & Dean (2015).
class SoftmaxDistribution final : public AttentionDistribution {
 public:
  explicit SoftmaxDistribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  void initialize(const at::Generator&) override {}

 private:
  double temperature_;
};

}  // namespace attend::nn
