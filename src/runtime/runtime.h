#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>

namespace attend::runtime {

/// What the process computes with.
struct Runtime {
  torch::Device device = torch::kCPU;
  int64_t threads = 1;  // of LibTorch and BLAS, one pool
};

/// Sets up the whole process, once, before the first tensor: number of threads (0: usable_cores()),
/// memory allocation that keeps freed blocks, denormal numbers flushed to zero, and LibTorch's
/// vector instructions. `device` is "auto", "cpu", "cuda" or "cuda:N". Throws UsageError for
/// another name or a device that is not there.
[[nodiscard]] Runtime set_up_runtime(const std::string& device, int64_t threads);

}  // namespace attend::runtime
