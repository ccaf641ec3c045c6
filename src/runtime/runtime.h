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
/// memory allocation that keeps freed blocks, denormal numbers flushed to zero, LibTorch's vector
/// instructions and BLAS's buffers. `device` is "auto", "cpu", "cuda" or "cuda:N". Throws
/// UsageError for another name, a device that is not there or an ATTEND_MAX_CPU (see
/// kernels/cpu/instructions.h) that is none, and std::bad_alloc where the buffers find no room.
[[nodiscard]] Runtime set_up_runtime(const std::string& device, int64_t threads);

}  // namespace attend::runtime
