#pragma once
#include <torch/types.h>

#include <functional>
#include <vector>

namespace attend::nn {

/// What is computed from tensors, some of which may be undefined. Computes the same whenever it is
/// given the same and draws the same.
using TensorFunction =
    std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor>& inputs)>;

/// function(inputs), of whose inside nothing is kept for the backward pass: that computes it again,
/// in the same ExecutionScope, with the same draws and for the same lines (gradient checkpointing,
/// Chen et al. 2016, arXiv 1604.06174). Gradients are what they are without it, bit for bit.
/// `parameters`: all that the function reads beside `inputs` and that has a gradient; what else it
/// holds is a constant. Where no gradient is recorded it is just computed.
/// Throws std::logic_error inside a StepsScope.
[[nodiscard]] std::vector<torch::Tensor> recomputed(TensorFunction function,
                                                    const std::vector<torch::Tensor>& inputs,
                                                    const std::vector<torch::Tensor>& parameters);

}  // namespace attend::nn
