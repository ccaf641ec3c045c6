#include "nn/attention/softmax_distribution.h"

namespace attend::nn {

SoftmaxDistribution::SoftmaxDistribution(const AttentionOptions& options)
    : temperature_(options.temperature) {}

torch::Tensor SoftmaxDistribution::weights(const torch::Tensor& energies,
                                           const torch::Tensor& mask) const {
  const torch::Tensor scaled = temperature_ == 1.0 ? energies : energies / temperature_;
  const torch::Tensor hidden = mask.logical_not();
  // The second fill matters only for rows without any position.
  return scaled.masked_fill(hidden, kLowestEnergy).softmax(-1).masked_fill(hidden, 0.0);
}

}  // namespace attend::nn
