#pragma once
#include <torch/types.h>

#include <memory>

#include "distributed/device_collectives.h"
#include "distributed/links.h"

namespace attend::distributed {

/// Connects all processes by NCCL, each with its own GPU. What is queued runs in a CUDA stream of
/// its own. Throws LostContact with NCCL's message.
[[nodiscard]] std::unique_ptr<DeviceCollectives> open_nccl(torch::Device device,
                                                           const Links& links);

}  // namespace attend::distributed
