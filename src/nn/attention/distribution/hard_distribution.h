#pragma once
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/options.h"

namespace attend::nn {

/// Gives all the weight to one position: drawn from p = softmax(energies / temperature) in
/// training, the most probable one otherwise. Xu et al. (2015), arXiv 1502.03044, Sec. 4.1.
/// `estimator` sets the gradient:
///   reinforce: distribute() returns log p of the position and the entropy of p, from which the
///              objective builds the score-function gradient (train/objective/reinforce.h);
///   gumbel:    straight-through: the position is the largest of
///              softmax((energies + Gumbel noise) / temperature), with the gradient of this
///              softmax (Jang, Gu & Poole 2017, arXiv 1611.01144, Sec. 2.2).
/// Random numbers are drawn as nn/drawing.h describes.
class HardDistribution final : public AttentionDistribution {
 public:
  explicit HardDistribution(const AttentionOptions& options);

  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& mask) const override;
  [[nodiscard]] AttentionWeights distribute(const torch::Tensor& energies,
                                            const torch::Tensor& mask,
                                            const torch::Tensor& noise) const override;
  /// Empty while positions are drawn for `reinforce`, whose gradient goes through log p.
  [[nodiscard]] std::optional<kernels::Distribution> fused() const override;
  [[nodiscard]] bool draws_noise() const override { return is_training(); }
  [[nodiscard]] torch::Tensor noise(const torch::Tensor& like) const override;
  void initialize(const at::Generator&) override {}

 private:
  double temperature_;
  bool gumbel_;
};

}  // namespace attend::nn
