#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// One position gets all the weight: drawn from p = softmax(energies / temperature) in training,
/// the most probable one otherwise. Xu et al. (2015), arXiv 1502.03044, Sec. 4.1. What training
/// makes of a draw depends on `estimator`:
///   reinforce: distribute() tells log p of the position and the entropy of p, from which the
///              objective builds the score-function gradient (train/objective/reinforce.h);
///   gumbel:    the gradient of softmax((energies + Gumbel noise) / temperature), whose largest
///              position is the one drawn, passes straight through (Jang, Gu & Poole 2017, arXiv
///              1611.01144, Sec. 2.2).
/// Draws as nn/drawing.h says.
class HardDistribution final : public AttentionDistribution {
 public:
  explicit HardDistribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  [[nodiscard]] Distributed distribute(const torch::Tensor& energies, const torch::Tensor& mask,
                                       const torch::Tensor& noise) const override;
  /// Not while positions are drawn for `reinforce`, whose gradient goes through log p.
  [[nodiscard]] std::optional<kernels::Distribution> fused() const override;
  [[nodiscard]] bool draws_noise() const override { return is_training(); }
  [[nodiscard]] torch::Tensor noise(const torch::Tensor& like) const override;
  void initialize(const at::Generator&) override {}

 private:
  double temperature_;
  bool gumbel_;
};

}  // namespace attend::nn
