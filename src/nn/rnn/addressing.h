#pragma once
// How heads choose and use the slots of a memory [N, M, W]: M slots of W numbers for each of N
// sequences. K heads at once. Weights over slots are positive and add up to 1 at most.
#include <torch/types.h>

namespace attend::nn {

/// softmax over slots i of strength times cosine(key, memory[i]): keys [N, K, W], strengths [N, K]
/// -> [N, K, M]. Graves, Wayne & Danihelka (2014), arXiv 1410.5401, Eq. 5-6. A length is the root
/// of the sum of squares and 1e-6, so that empty slots have a direction, too, and a gradient.
[[nodiscard]] torch::Tensor content_weights(const torch::Tensor& memory, const torch::Tensor& keys,
                                            const torch::Tensor& strengths);

/// weights [N, K, M] turned: to the slot before with shift[.., 0], not at all with shift[.., 1] and
/// to the slot behind with shift[.., 2]; the first slot is behind the last one. Ibid., Eq. 8. shift
/// [N, K, 3].
[[nodiscard]] torch::Tensor shifted(const torch::Tensor& weights, const torch::Tensor& shift);

/// weights [N, K, M] to the power of exponents [N, K], divided by their sum. Ibid., Eq. 9. Of a
/// head without weight the result is 0, with a finite gradient.
[[nodiscard]] torch::Tensor sharpened(const torch::Tensor& weights, const torch::Tensor& exponents);

/// The memory after memory[i] * (1 - weights[i] * erase) + weights[i] * added. Ibid., Eq. 3-4.
/// weights [N, M], erase [N, W], added [N, W].
[[nodiscard]] torch::Tensor written(const torch::Tensor& memory, const torch::Tensor& weights,
                                    const torch::Tensor& erase, const torch::Tensor& added);

/// What heads with `weights` [N, K, M] find: [N, K, W]. Ibid., Eq. 2.
[[nodiscard]] torch::Tensor read_slots(const torch::Tensor& memory, const torch::Tensor& weights);

/// Weights [N, M] of where to write next, by usage [N, M] in [0, 1]: with slots in the order of
/// their usage, (1 - usage) of the first, and of each further one (1 - usage) times the usages of
/// those before. Graves et al. (2016), "Hybrid computing using a neural network with dynamic
/// external memory", Methods, Eq. 1. Usage is taken for 1e-6 at least; the order has no gradient,
/// as there; equal usages go by slot.
[[nodiscard]] torch::Tensor allocation(const torch::Tensor& usage);

}  // namespace attend::nn
