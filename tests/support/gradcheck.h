#pragma once
#include <torch/types.h>

#include <functional>
#include <vector>

namespace attend::test {

/// A differentiable function of the leaves in its closure. Every call must return the same values.
using TensorFunction = std::function<torch::Tensor()>;

/// Compares the gradients of sum(r * function()), r a fixed random projection of the output, with
/// central differences (f(x + h) - f(x - h)) / 2h, h = 1e-6, for each element of each leaf. Returns
/// the largest error over all leaves, relative to the leaf's largest derivative (at least 1e-3).
/// A leaf that the output does not depend on has gradient zero. Requires: float64 throughout.
[[nodiscard]] double max_gradient_error(const TensorFunction& function,
                                        const std::vector<torch::Tensor>& leaves);

/// The same check along three random directions for each leaf. It needs a fixed number of calls and
/// still detects any wrong gradient, so it suits whole models.
[[nodiscard]] double max_directional_error(const TensorFunction& function,
                                           const std::vector<torch::Tensor>& leaves);

}  // namespace attend::test
