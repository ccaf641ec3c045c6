#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "cli/common_options.h"

namespace attend::cli {

/// What the command runs on.
struct Runtime {
  c10::Device device = c10::kCPU;
  int64_t threads = 1;
};

/// Sets up log, threads and device for a command that runs a model, and logs version, device,
/// threads and BLAS, with a warning where the BLAS is a slow one. Throws UsageError for a device
/// that this machine does not have.
[[nodiscard]] Runtime start_runtime(const CommonOptions& options);

/// The BLAS that runs in this process: "OpenBLAS 0.3.21 (OpenMP)", "MKL", "unknown BLAS".
[[nodiscard]] std::string blas_description();

/// "attend 0.1.0".
[[nodiscard]] std::string version();

}  // namespace attend::cli
