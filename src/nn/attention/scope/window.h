#pragma once
#include "nn/attention/scope/scope.h"

namespace attend::nn {

/// The real positions s with |s - centre| <= reach, for centres [N, T] (floating point). If the
/// source has more than 2 reach + 1 positions, the view has only 2 reach + 1 columns, so that the
/// cost does not grow with the source. Near the end of a sentence some columns are masked.
[[nodiscard]] View window_around(const torch::Tensor& centres, int64_t reach, const Memory& memory);

/// The source position of each column of `view`, [N or 1, T or 1, W], in the type of `like`.
[[nodiscard]] torch::Tensor column_positions(const View& view, const torch::Tensor& like);

/// x [N, S] or [N, S, *] at positions [N, T, W] -> [N * T, W] or [N * T, W, *]. Undefined if x is
/// undefined.
[[nodiscard]] torch::Tensor gather_window(const torch::Tensor& x, const torch::Tensor& positions);

/// energies [N, T, S] -> [N * T, 1, W], or [N, C, T, S] -> [N * T, C, 1, W].
[[nodiscard]] torch::Tensor gather_window_energies(const torch::Tensor& energies,
                                                   const torch::Tensor& positions);

/// weights [N, T, W] of positions [N, T, W] -> [N, T, source], 0 elsewhere.
[[nodiscard]] torch::Tensor scatter_window(const torch::Tensor& weights,
                                           const torch::Tensor& positions, int64_t source);

}  // namespace attend::nn
