#include "nn/attention/distribution/entmax15_distribution.h"

#include <torch/autograd.h>

#include "nn/attention/distribution/sparse_energies.h"

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// z [..., S] -> tau [..., 1] with sum_s max(z_s - tau, 0)^2 = 1. For the k largest elements with
/// mean M and sum of squared deviations D, tau_k = M - sqrt((1 - D) / k). The support is the
/// largest k whose smallest element is not below tau_k.
Tensor threshold(const Tensor& z) {
  const Tensor sorted = std::get<0>(z.sort(-1, /*descending=*/true));
  const Tensor count = ranks(z);
  const Tensor mean = sorted.cumsum(-1) / count;
  const Tensor deviation = sorted.square().cumsum(-1) - count * mean.square();
  const Tensor taus = mean - ((1 - deviation) / count).clamp_min(0.0).sqrt();
  // A row with a NaN counts 0 positions before the clamp; the NaN then propagates to the weights.
  const Tensor support = (taus <= sorted).sum(-1, /*keepdim=*/true).clamp_min(1);
  return taus.gather(-1, support - 1);
}

class Entmax15 : public torch::autograd::Function<Entmax15> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& energies, const Tensor& mask) {
    const Tensor z = sparse_energies(energies / 2, mask);
    const Tensor weights =
        (z - threshold(z)).clamp_min(0.0).square().masked_fill(mask.logical_not(), 0.0);
    context->save_for_backward({weights});
    return weights;
  }

  /// Returns s (g - sum(s g) / sum(s)), with s = sqrt(weights) and the incoming gradient g.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor root = context->get_saved_variables()[0].sqrt();
    const Tensor total = root.sum(-1, /*keepdim=*/true);
    // A fully masked row has no weight to divide by.
    const Tensor divisor = total.masked_fill(total == 0, 1.0);
    const Tensor mean = (root * gradients[0]).sum(-1, /*keepdim=*/true) / divisor;
    return {root * (gradients[0] - mean), Tensor()};
  }
};

}  // namespace

Entmax15Distribution::Entmax15Distribution(const AttentionOptions&) {}

torch::Tensor Entmax15Distribution::weights(const torch::Tensor& energies,
                                            const torch::Tensor& mask) const {
  return Entmax15::apply(energies, mask);
}

}  // namespace attend::nn
