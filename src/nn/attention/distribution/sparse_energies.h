#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Energies for sparse distributions: each row minus its largest energy, clamped to [-2, 0]; masked
/// positions get -2. Sparse weights do not change when a number is added to a row, and energies
/// more than 1 below the largest get no weight, so the result is the same but sums stay small.
[[nodiscard]] torch::Tensor sparse_energies(const torch::Tensor& energies,
                                            const torch::Tensor& mask);

/// 1, 2, ..., S for x [..., S], in the type of x.
[[nodiscard]] torch::Tensor ranks(const torch::Tensor& x);

}  // namespace attend::nn
