#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/rnn/sequence.h"

namespace attend::nn::device {

/// True if run_library() computes the same as the cells step by step: the tensors are on a device
/// with fused kernels enabled, the cells have a library_form() of one kind and size, the second
/// direction (if any) reads backward, and no recurrent mask is drawn.
[[nodiscard]] bool has_library_form(const std::vector<Direction>& directions,
                                    const torch::Tensor& like);

/// See run_directions(): one call of LibTorch's recurrent layer, which is cuDNN's on a GPU, without
/// padding. `lengths` [N] int64 on the CPU.
[[nodiscard]] SequenceOutput run_library(const std::vector<Direction>& directions,
                                         const IndexedRows& x, const torch::Tensor& lengths);

}  // namespace attend::nn::device
