#pragma once
#include <torch/types.h>

#include <functional>
#include <vector>

namespace attend::nn {

/// A function of tensors, some of which may be undefined. Requires: deterministic, given equal
/// inputs and equal draws.
using TensorFunction =
    std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor>& inputs)>;

/// Runs `function` without saving intermediates; the backward pass recomputes them with the same
/// Execution, draws and lines (gradient checkpointing, Chen et al. 2016, arXiv 1604.06174).
/// Gradients are equal to those without recomputation, to the last bit. `parameters`: everything
/// else that the function reads and that needs a gradient. If no gradient is recorded, just calls
/// `function`. Throws std::logic_error inside a StepsScope.
[[nodiscard]] std::vector<torch::Tensor> recomputed(TensorFunction function,
                                                    const std::vector<torch::Tensor>& inputs,
                                                    const std::vector<torch::Tensor>& parameters);

}  // namespace attend::nn
