#include "nn/attention/distribution/softmax_distribution.h"

#include "nn/attention/distribution/masked_softmax.h"

namespace attend::nn {

SoftmaxDistribution::SoftmaxDistribution(const AttentionOptions& options)
    : temperature_(options.temperature) {}

torch::Tensor SoftmaxDistribution::weights(const torch::Tensor& energies,
                                           const torch::Tensor& mask) const {
  const torch::Tensor scaled = temperature_ == 1.0 ? energies : energies / temperature_;
  return masked_softmax(scaled, mask);
}

}  // namespace attend::nn
