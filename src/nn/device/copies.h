#pragma once
#include <torch/types.h>

namespace attend::nn::device {

/// Copies `host`, a tensor on the CPU, to `device`. The copy is asynchronous, from pinned memory,
/// so the caller does not wait for earlier work of the device. Returns `host` itself for the CPU.
[[nodiscard]] torch::Tensor sent(const torch::Tensor& host, const torch::Device& device);

}  // namespace attend::nn::device
