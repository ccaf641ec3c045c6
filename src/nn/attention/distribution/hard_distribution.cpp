#include "nn/attention/distribution/hard_distribution.h"

#include "nn/drawing.h"

namespace attend::nn {
namespace {

/// Returns 1 at `index` [..., T, 1] and 0 elsewhere; also 0 where `hidden` is true.
torch::Tensor one_hot(const torch::Tensor& index, const torch::Tensor& like,
                      const torch::Tensor& hidden) {
  return torch::zeros_like(like.detach()).scatter_(-1, index, 1.0).masked_fill(hidden, 0.0);
}

torch::Tensor largest(const torch::Tensor& x) {
  return x.argmax(-1, /*keepdim=*/true);
}

AttentionWeights draw(const torch::Tensor& energies, const torch::Tensor& hidden,
                      const torch::Tensor& noise) {
  const torch::Tensor log_probs = energies.masked_fill(hidden, kLowestEnergy).log_softmax(-1);
  const torch::Tensor chosen = largest(log_probs.detach() + noise);
  const torch::Tensor empty = hidden.all(-1);  // [..., 1 or T]
  const torch::Tensor log_prob = log_probs.gather(-1, chosen).squeeze(-1);
  const torch::Tensor entropy = -(log_probs.exp() * log_probs).sum(-1);
  return {one_hot(chosen, log_probs, hidden),
          {log_prob.masked_fill(empty, 0.0), entropy.masked_fill(empty, 0.0)}};
}

torch::Tensor straight_through(const torch::Tensor& energies, const torch::Tensor& hidden) {
  const torch::Tensor soft = energies.masked_fill(hidden, kLowestEnergy).softmax(-1);
  // The carrier is exactly 0, so the weights stay one-hot, but its gradient is the gradient of
  // `soft`.
  const torch::Tensor carrier = (soft - soft.detach()).masked_fill(hidden, 0.0);
  return one_hot(largest(soft.detach()), soft, hidden) + carrier;
}

}  // namespace

HardDistribution::HardDistribution(const AttentionOptions& options)
    : temperature_(options.temperature), gumbel_(options.estimator == Estimator::gumbel) {}

torch::Tensor HardDistribution::weights(const torch::Tensor& energies,
                                        const torch::Tensor& mask) const {
  return distribute(energies, mask, draws_noise() ? noise(energies) : torch::Tensor()).weights;
}

AttentionWeights HardDistribution::distribute(const torch::Tensor& energies,
                                              const torch::Tensor& mask,
                                              const torch::Tensor& noise) const {
  const torch::Tensor hidden = mask.logical_not();
  if (!is_training()) {
    const torch::Tensor seen = energies.detach().masked_fill(hidden, kLowestEnergy);
    return {one_hot(largest(seen), seen, hidden), {}};
  }
  if (!gumbel_) return draw(energies / temperature_, hidden, noise);
  return {straight_through((energies + noise) / temperature_, hidden), {}};
}

std::optional<kernels::Distribution> HardDistribution::fused() const {
  if (!is_training()) return kernels::Distribution{kernels::DistributionKind::largest};
  if (!gumbel_) return std::nullopt;
  return kernels::Distribution{kernels::DistributionKind::straight_through, temperature_};
}

// The position of the largest x + noise is a draw from softmax(x) (Gumbel 1954).
torch::Tensor HardDistribution::noise(const torch::Tensor& like) const {
  return draw_uniform(like.sizes()).log_().neg_().log_().neg_().to(like.options());
}

}  // namespace attend::nn
