#pragma once
#include <torch/types.h>

namespace attend::nn::fused {

/// Where to write next, [N, M], by kernels::SlotAllocation: usage [N, M] in (0, 1], float or double
/// on the CPU.
[[nodiscard]] torch::Tensor slot_allocation(const torch::Tensor& usage);

}  // namespace attend::nn::fused
