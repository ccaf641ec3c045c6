#include "nn/loss.h"

#include <torch/autograd.h>

#include "nn/execution.h"
#include "nn/fused/gathered_rows.h"
#include "nn/fused/output_loss.h"
#include "nn/linear.h"
#include "nn/shape.h"

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SmoothedCrossEntropy : public torch::autograd::Function<SmoothedCrossEntropy> {
 public:
  /// Returns {objective, nll}.
  static variable_list forward(AutogradContext* context, const Tensor& logits,
                               const Tensor& targets, double smoothing) {
    const Tensor log_probs = torch::log_softmax(logits, /*dim=*/1);  // [N, V]
    const Tensor columns = targets.unsqueeze(1);                     // [N, 1]
    const Tensor nll = -log_probs.gather(1, columns).sum(torch::kFloat64);
    Tensor objective = nll * (1.0 - smoothing);
    if (smoothing > 0.0) {
      objective = objective - log_probs.sum(torch::kFloat64) *
                                  (smoothing / static_cast<double>(log_probs.size(1)));
    }
    context->save_for_backward({log_probs, columns});
    context->saved_data["smoothing"] = smoothing;
    context->mark_non_differentiable({nll});
    return {objective.to(logits.scalar_type()), nll};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const double smoothing = context->saved_data["smoothing"].toDouble();
    Tensor gradient = saved[0].exp();  // [N, V]
    if (smoothing > 0.0) gradient.sub_(smoothing / static_cast<double>(gradient.size(1)));
    const Tensor target_share =
        torch::full({1, 1}, smoothing - 1.0, gradient.options()).expand_as(saved[1]);
    gradient.scatter_add_(1, saved[1], target_share);
    return {gradient.mul_(gradients[0]), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor real_positions(const Tensor& states, const Tensor& mask) {
  check_shape(states, {mask.size(0), mask.size(1), kAny}, "real_positions states");
  const Tensor positions = mask.flatten().nonzero().squeeze(1);  // [N]
  const Tensor flat = states.flatten(0, 1);
  if (!is_fusible(states)) return flat.index_select(0, positions);
  const Tensor inverse = torch::full({flat.size(0)}, int64_t{-1}, torch::kInt64)
                             .index_copy_(0, positions, torch::arange(positions.size(0)));
  return fused::gathered_rows({{flat, {positions, inverse}}});
}

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, double smoothing) {
  check_shape(logits, {targets.size(0), kAny}, "cross_entropy logits");
  const variable_list sums = SmoothedCrossEntropy::apply(logits, targets, smoothing);
  return {sums[0], sums[1]};
}

CrossEntropy output_cross_entropy(const Tensor& states, const Tensor& weight, const Tensor& bias,
                                  const Tensor& targets, double smoothing) {
  check_shape(states, {targets.size(0), weight.size(1)}, "output_cross_entropy states");
  if (is_fusible(states)) return fused::output_loss(states, weight, bias, targets, smoothing);
  return cross_entropy(linear(states, weight, bias), targets, smoothing);
}

}  // namespace attend::nn
