#pragma once
#include <torch/types.h>

namespace attend::nn::device {

/// `host`, a tensor on the CPU, on `device`. The copy is asynchronous, from pinned memory, so that
/// the caller does not wait for earlier work of the device. Returns `host` itself for the CPU.
[[nodiscard]] torch::Tensor sent(const torch::Tensor& host, const torch::Device& device);

}  // namespace attend::nn::device
