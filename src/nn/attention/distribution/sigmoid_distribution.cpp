#include "nn/attention/distribution/sigmoid_distribution.h"

namespace attend::nn {
namespace {

/// Rows with a smaller sum count as empty.
constexpr double kSmallestSum = 1e-30;

}  // namespace

SigmoidDistribution::SigmoidDistribution(const AttentionOptions& options)
    : sum_to_one_(options.sum_to_one) {}

torch::Tensor SigmoidDistribution::weights(const torch::Tensor& energies,
                                           const torch::Tensor& mask) const {
  const torch::Tensor shares = energies.sigmoid().masked_fill(mask.logical_not(), 0.0);
  if (!sum_to_one_) return shares;
  return shares / shares.sum(-1, /*keepdim=*/true).clamp_min(kSmallestSum);
}

}  // namespace attend::nn
