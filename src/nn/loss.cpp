#include "nn/loss.h"

#include <torch/autograd.h>

#include <stdexcept>

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
                               const Tensor& targets, const LossOptions& options) {
    const double smoothing = options.smoothing;
    const Tensor log_probs = torch::log_softmax(logits, /*dim=*/1);        // [N, V]
    const Tensor columns = targets.unsqueeze(1);                           // [N, 1]
    const Tensor nll = -log_probs.gather(1, columns).to(torch::kFloat64);  // [N, 1]
    Tensor objective = nll * (1.0 - smoothing);
    if (smoothing > 0.0) {
      objective =
          objective - row_sums(log_probs) * (smoothing / static_cast<double>(log_probs.size(1)));
    }
    if (options.weights.defined()) objective = objective * options.weights.unsqueeze(1);
    context->save_for_backward({log_probs, columns, options.weights});
    context->saved_data["smoothing"] = smoothing;
    const Tensor total = nll.sum();
    context->mark_non_differentiable({total});
    return {objective.sum().to(logits.scalar_type()), total};
  }

  /// [N, V] -> [N, 1] in double. On a GPU rows are summed in the type of x, because LibTorch would
  /// first convert all of x.
  static Tensor row_sums(const Tensor& x) {
    if (is_on_device(x)) return x.sum(1, /*keepdim=*/true).to(torch::kFloat64);
    return x.sum(1, /*keepdim=*/true, torch::kFloat64);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const double smoothing = context->saved_data["smoothing"].toDouble();
    Tensor gradient = saved[0].exp();  // [N, V]
    if (smoothing > 0.0) gradient.sub_(smoothing / static_cast<double>(gradient.size(1)));
    const Tensor target_share =
        torch::full({1, 1}, smoothing - 1.0, gradient.options()).expand_as(saved[1]);
    gradient.scatter_add_(1, saved[1], target_share);
    if (saved[2].defined()) gradient.mul_(saved[2].unsqueeze(1));
    return {gradient.mul_(gradients[0]), Tensor(), Tensor()};
  }
};

/// Cross-entropy of both passes of R-Drop. Saves their log-probabilities.
class TwinCrossEntropy : public torch::autograd::Function<TwinCrossEntropy> {
 public:
  /// Returns {objective, nll, divergence}.
  static variable_list forward(AutogradContext* context, const Tensor& logits,
                               const Tensor& targets, double smoothing, double alpha) {
    const Tensor log_probs = torch::log_softmax(logits, /*dim=*/1);  // [2N, V]
    const Tensor columns = targets.unsqueeze(1);                     // [2N, 1]
    const Tensor nll = -log_probs.gather(1, columns).sum(torch::kFloat64);
    const Tensor uniform = -log_probs.sum(torch::kFloat64) / log_probs.size(1);
    const auto passes = log_probs.tensor_split(2);
    const Tensor divergence =
        ((passes[0].exp() - passes[1].exp()) * (passes[0] - passes[1])).sum(torch::kFloat64);
    const Tensor objective =
        (1.0 - smoothing) * nll + smoothing * uniform + 0.5 * alpha * divergence;
    context->save_for_backward({log_probs, columns});
    context->saved_data["smoothing"] = smoothing;
    context->saved_data["weight"] = 0.5 * alpha;
    context->mark_non_differentiable({nll, divergence});
    return {objective.to(logits.scalar_type()), nll, divergence};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const double smoothing = context->saved_data["smoothing"].toDouble();
    const double weight = context->saved_data["weight"].toDouble();
    const auto log_probs = saved[0].tensor_split(2);
    const Tensor gradient = torch::cat(
        {of_pass(log_probs[0], log_probs[1], weight), of_pass(log_probs[1], log_probs[0], weight)});
    gradient.sub_(smoothing / static_cast<double>(gradient.size(1)));
    const Tensor target_share =
        torch::full({1, 1}, smoothing - 1.0, gradient.options()).expand_as(saved[1]);
    gradient.scatter_add_(1, saved[1], target_share);
    return {gradient.mul_(gradients[0]), Tensor(), Tensor(), Tensor()};
  }

 private:
  /// Derivative with respect to the logits of one pass, without the term of the targets:
  /// p + weight [p (d - KL) + p - other p] with d = log p - other log p.
  static Tensor of_pass(const Tensor& log_p, const Tensor& other, double weight) {
    const Tensor p = log_p.exp(), apart = log_p - other;
    const Tensor divergence = (p * apart).sum(1, /*keepdim=*/true);
    return p + weight * (p * (apart - divergence) + p - other.exp());
  }
};

void check_options(const Tensor& targets, const LossOptions& options) {
  if (options.weights.defined()) {
    if (options.r_drop > 0.0) throw std::logic_error("R-Drop does not support weights");
    check_shape(options.weights, {targets.size(0)}, "weights of predictions");
  }
  if (options.r_drop > 0.0 && targets.size(0) % 2 != 0)
    throw std::logic_error("R-Drop needs an even number of predictions, from two passes");
}

}  // namespace

Tensor real_positions(const Tensor& states, const Tensor& mask, const Tensor& places) {
  check_shape(states, {mask.size(0), mask.size(1), kAny}, "real_positions states");
  if (places.defined()) return states.flatten(0, 1).index_select(0, places);
  const Tensor positions = mask.flatten().nonzero().squeeze(1);  // [N]
  const Tensor flat = states.flatten(0, 1);
  if (!is_fusible(states)) return flat.index_select(0, positions);
  const Tensor inverse = torch::full({flat.size(0)}, int64_t{-1}, torch::kInt64)
                             .index_copy_(0, positions, torch::arange(positions.size(0)));
  return fused::gathered_rows({{flat, {positions, inverse}}});
}

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets,
                           const LossOptions& options) {
  check_shape(logits, {targets.size(0), kAny}, "cross_entropy logits");
  check_options(targets, options);
  if (options.r_drop > 0.0) {
    const variable_list sums =
        TwinCrossEntropy::apply(logits, targets, options.smoothing, options.r_drop);
    return {sums[0], sums[1], sums[2]};
  }
  const variable_list sums = SmoothedCrossEntropy::apply(logits, targets, options);
  return {sums[0], sums[1]};
}

CrossEntropy output_cross_entropy(const Tensor& states, const Tensor& weight, const Tensor& bias,
                                  const Tensor& targets, const LossOptions& options) {
  check_shape(states, {targets.size(0), weight.size(1)}, "output_cross_entropy states");
  check_options(targets, options);
  if (is_fusible(states)) return fused::output_loss(states, weight, bias, targets, options);
  return cross_entropy(linear(states, weight, bias), targets, options);
}

}  // namespace attend::nn
