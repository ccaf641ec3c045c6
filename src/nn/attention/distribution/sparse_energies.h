#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Energies of sparse distributions less the row's largest, in [-2, 0]; masked positions get -2.
/// Adding a number to a row changes nothing there, and everything more than 1 below the largest
/// has weight zero anyway, so that this keeps sums over a row small without changing the result.
[[nodiscard]] torch::Tensor sparse_energies(const torch::Tensor& energies,
                                            const torch::Tensor& mask);

/// 1, 2, ..., S for x [..., S], in its type.
[[nodiscard]] torch::Tensor ranks(const torch::Tensor& x);

}  // namespace attend::nn
