#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Cross-entropy of a set of predictions, summed over them.
struct CrossEntropy {
  torch::Tensor objective;  // scalar, differentiable: with label smoothing
  torch::Tensor nll;        // scalar float64 without gradient: -sum log p[target], nats
};

/// The rows of `states` [B, T, D] at the true positions of `mask` [B, T], as [N, D]: what lies on
/// padding needs no scores over the vocabulary.
[[nodiscard]] torch::Tensor real_positions(const torch::Tensor& states, const torch::Tensor& mask);

/// cross_entropy() of the logits states W^T + bias; states [N, D], weight [V, D], bias [V]. Where
/// is_fusible(states), they never exist all at once (fused/output_loss.h).
[[nodiscard]] CrossEntropy output_cross_entropy(const torch::Tensor& states,
                                                const torch::Tensor& weight,
                                                const torch::Tensor& bias,
                                                const torch::Tensor& targets, double smoothing);

/// Cross-entropy against the label-smoothed targets of Szegedy et al. (2016), Sec. 7, with the
/// uniform distribution over all V classes, the right one included:
///   q[k] = (1 - smoothing) [k = target] + smoothing / V
///   objective = -sum_n sum_k q[n,k] log softmax(logits[n])[k]
/// logits [N, V], targets [N] int64. N may be 0. The gradient is computed in closed form (softmax -
/// q) from the one [N, V] tensor that is kept; it cannot be differentiated again.
[[nodiscard]] CrossEntropy cross_entropy(const torch::Tensor& logits, const torch::Tensor& targets,
                                         double smoothing);

}  // namespace attend::nn
