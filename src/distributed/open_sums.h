#pragma once
#include <torch/types.h>

#include <memory>

#include "distributed/links.h"
#include "distributed/sums.h"

namespace attend::distributed {

/// True if this program has Gloo. Otherwise CPU tensors are summed through the rendezvous.
[[nodiscard]] bool has_gloo();
/// True if this program has NCCL, which sums tensors of GPUs.
[[nodiscard]] bool has_nccl();

/// Connects all processes for sums of tensors on `device`, this process's own. All must call it.
/// Throws LostContact or an error of Gloo or the device. Requires: has_nccl() for a GPU.
[[nodiscard]] std::unique_ptr<Sums> open_sums(torch::Device device, const Links& links);

}  // namespace attend::distributed
