#include "nn/attention/distribution/sparsemax_distribution.h"

#include <torch/autograd.h>

#include "nn/attention/distribution/sparse_energies.h"

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// z [..., S] with a largest element of 0 in each row -> tau [..., 1].
Tensor sparsemax_threshold(const Tensor& z) {
  const Tensor sorted = std::get<0>(z.sort(-1, /*descending=*/true));
  const Tensor sums = sorted.cumsum(-1);
  // A row with a NaN counts 0 positions before the clamp; the NaN then propagates to the weights.
  const Tensor support = (ranks(z) * sorted + 1 > sums).sum(-1, /*keepdim=*/true).clamp_min(1);
  return (sums.gather(-1, support - 1) - 1) / support;
}

class Sparsemax : public torch::autograd::Function<Sparsemax> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& energies, const Tensor& mask) {
    const Tensor z = sparse_energies(energies, mask);
    const Tensor weights =
        (z - sparsemax_threshold(z)).clamp_min(0.0).masked_fill(mask.logical_not(), 0.0);
    context->save_for_backward({weights});
    return weights;
  }

  /// The incoming gradient minus its mean over the positions with weight; 0 at other positions.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor support = (context->get_saved_variables()[0] > 0).to(gradients[0].scalar_type());
    const Tensor inside = gradients[0] * support;
    const Tensor mean =
        inside.sum(-1, /*keepdim=*/true) / support.sum(-1, /*keepdim=*/true).clamp_min(1.0);
    return {inside - support * mean, Tensor()};
  }
};

}  // namespace

SparsemaxDistribution::SparsemaxDistribution(const AttentionOptions&) {}

torch::Tensor SparsemaxDistribution::weights(const torch::Tensor& energies,
                                             const torch::Tensor& mask) const {
  return Sparsemax::apply(energies, mask);
}

}  // namespace attend::nn
