#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Options that change the likelihood objective.
struct LossOptions {
  LossOptions(double the_smoothing = 0.0,
              double the_r_drop = 0.0)  // NOLINT: implicit from one number
      : smoothing(the_smoothing), r_drop(the_r_drop) {}

  double smoothing;  // label smoothing
  /// alpha of R-Drop; 0: no R-Drop. With R-Drop there are 2N predictions: n and N + n come from two
  /// passes over the same input with different dropout, and have the same target.
  double r_drop;
  /// Weight of each prediction in the objective, [N] in the logits' type. If undefined, all weights
  /// are 1. Not supported with R-Drop.
  torch::Tensor weights = {};
};

/// Cross-entropy summed over a set of predictions.
struct CrossEntropy {
  torch::Tensor objective;  // scalar, differentiable
  torch::Tensor nll;        // scalar float64 without gradient: -sum log p[target], nats
  // Scalar float64 without gradient: sum_n KL(p[n] || p[N + n]) + KL(p[N + n] || p[n]); undefined
  // without R-Drop.
  torch::Tensor divergence = {};
};

/// The rows of `states` [B, T, D] where `mask` [B, T] is true, as [N, D]. Padding needs no scores
/// over the vocabulary. `places` [N] int64: the indices of these rows in [B * T], which saves
/// waiting for a mask on a GPU; undefined: computed from the mask.
[[nodiscard]] torch::Tensor real_positions(const torch::Tensor& states, const torch::Tensor& mask,
                                           const torch::Tensor& places = {});

/// cross_entropy() of the logits states W^T + bias; states [N, D], weight [V, D], bias [V]. If
/// is_fusible(states), never stores all logits (fused/output_loss.h).
[[nodiscard]] CrossEntropy output_cross_entropy(const torch::Tensor& states,
                                                const torch::Tensor& weight,
                                                const torch::Tensor& bias,
                                                const torch::Tensor& targets,
                                                const LossOptions& options);

/// Cross-entropy against the label-smoothed targets of Szegedy et al. (2016), Sec. 7, with the
/// uniform distribution over all V classes, including the target:
///   q[k] = (1 - smoothing) [k = target] + smoothing / V
///   objective = -sum_n sum_k q[n,k] log softmax(logits[n])[k]
/// logits [N, V], targets [N] int64. N may be 0. The gradient has a closed form (softmax - q),
/// computed from one saved [N, V] tensor; it cannot be differentiated again. With R-Drop (Liang et
/// al. 2021, arXiv 2106.14448, Eq. 4) on two passes, logits [2N, V] and targets [2N]:
///   objective = sum over both passes + alpha / 2 sum_n [KL(p[n] || p[N+n]) + KL(p[N+n] || p[n])]
[[nodiscard]] CrossEntropy cross_entropy(const torch::Tensor& logits, const torch::Tensor& targets,
                                         const LossOptions& options);

}  // namespace attend::nn
