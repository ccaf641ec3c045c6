#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>

namespace attend::runtime {

/// The device and threads of the process.
struct Runtime {
  torch::Device device = torch::kCPU;
  int64_t threads = 1;  // threads of the pool that LibTorch and BLAS share
};

/// Sets up the process; call it once, before the first tensor. Sets the number of threads (0:
/// usable_cores()), an allocator that keeps freed blocks, flushing of denormal numbers to zero,
/// LibTorch's vector instructions and BLAS buffers. `device` is "auto", "cpu", "cuda" or "cuda:N".
/// Throws UsageError for another name, a missing device or an invalid ATTEND_MAX_CPU (see
/// kernels/cpu/instructions.h), and std::bad_alloc if there is no room for the buffers.
[[nodiscard]] Runtime set_up_runtime(const std::string& device, int64_t threads);

}  // namespace attend::runtime
