#pragma once
// How heads choose and use the slots of a memory [N, M, W]: M slots of W numbers for each of N
// sequences. All functions take K heads at once. Weights over slots are >= 0 and sum to at most 1.
#include <torch/types.h>

namespace attend::nn {

/// softmax over slots i of strength * cosine(key, memory[i]): keys [N, K, W], strengths [N, K] ->
/// [N, K, M]. Graves, Wayne & Danihelka (2014), arXiv 1410.5401, Eq. 5-6. A vector's length is
/// sqrt(sum of squares + 1e-6), so that empty slots have a direction and a gradient too.
[[nodiscard]] torch::Tensor content_weights(const torch::Tensor& memory, const torch::Tensor& keys,
                                            const torch::Tensor& strengths);

/// Shifts weights [N, K, M] by -1, 0 and +1 slots and returns the sum of the three, weighted by
/// shift [N, K, 3] in this order. The first slot follows the last. Graves et al. (2014), Eq. 8.
[[nodiscard]] torch::Tensor shifted(const torch::Tensor& weights, const torch::Tensor& shift);

/// weights [N, K, M] to the power of exponents [N, K], divided by their sum. Graves et al. (2014),
/// Eq. 9. All-zero weights of a head stay 0, with a finite gradient.
[[nodiscard]] torch::Tensor sharpened(const torch::Tensor& weights, const torch::Tensor& exponents);

/// Returns the memory after a write: memory[i] * (1 - weights[i] * erase) + weights[i] * added.
/// Graves et al. (2014), Eq. 3-4. weights [N, M], erase [N, W], added [N, W].
[[nodiscard]] torch::Tensor written(const torch::Tensor& memory, const torch::Tensor& weights,
                                    const torch::Tensor& erase, const torch::Tensor& added);

/// Returns what heads with `weights` [N, K, M] read: [N, K, W]. Graves et al. (2014), Eq. 2.
[[nodiscard]] torch::Tensor read_slots(const torch::Tensor& memory, const torch::Tensor& weights);

/// Allocation weights [N, M] for the next write, from usage [N, M] in [0, 1]. With slots sorted by
/// usage, a slot gets (1 - its usage) * product of the usages before it. Graves et al. (2016),
/// "Hybrid computing using a neural network with dynamic external memory", Methods, Eq. 1. Usage
/// counts as at least 1e-6. The sort is stable and has no gradient, as in the paper.
[[nodiscard]] torch::Tensor allocation(const torch::Tensor& usage);

}  // namespace attend::nn
