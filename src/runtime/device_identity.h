#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>

namespace attend::runtime {

/// Number of GPUs that this process can use.
[[nodiscard]] int64_t count_gpus();

/// What tells one device from another, on whatever machine.
struct DeviceIdentity {
  std::string model;  ///< "NVIDIA H100 80GB HBM3"; "CPU" for all CPUs
  std::string id;     ///< of one GPU in the world; empty for a CPU
};

/// Throws std::logic_error for a GPU if this program was built without CUDA.
[[nodiscard]] DeviceIdentity identify(torch::Device device);

}  // namespace attend::runtime
