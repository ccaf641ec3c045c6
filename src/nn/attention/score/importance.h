#pragma once
#include "nn/attention/registry.h"

namespace attend::nn {

/// The inner size A: options.size, or the query's size if options.size is 0.
[[nodiscard]] int64_t inner_size(const AttentionOptions& options, ScoreSizes sizes);

/// An uninitialised importance vector w for scores of the form w^T z: [A], or with `per_feature` a
/// matrix [C, A] with one vector for each feature of the values.
[[nodiscard]] torch::Tensor empty_importance(const AttentionOptions& options, ScoreSizes sizes);

/// w^T z for z [N, T, S, A]: [N, T, S], or [N, C, T, S] if `importance` is a matrix.
[[nodiscard]] torch::Tensor weigh(const torch::Tensor& z, const torch::Tensor& importance);

/// Initialises Xavier-uniform; a vector counts as a matrix with one row.
void initialize_importance(const torch::Tensor& importance, const at::Generator& generator);

/// The energies of additive scores, w^T tanh(W q_t + k_s), in blocks of queries (pair_energies.h).
[[nodiscard]] torch::Tensor additive_energies(const torch::Tensor& query,
                                              const torch::Tensor& weight,
                                              const torch::Tensor& keys,
                                              const torch::Tensor& importance);

/// query W^T + keys, in a new tensor: weight W [A, H], keys [N, S, A] -> [N, T, S, A].
[[nodiscard]] torch::Tensor add_query(const torch::Tensor& query, const torch::Tensor& weight,
                                      const torch::Tensor& keys);

}  // namespace attend::nn
