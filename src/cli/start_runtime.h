#pragma once
#include <string>

#include "cli/common_options.h"
#include "runtime/runtime.h"

namespace attend::cli {

/// Sets up log, threads and device for a command that runs a model, and logs version, device,
/// threads and BLAS. Warns about a slow BLAS. Throws UsageError for a device that this machine does
/// not have.
[[nodiscard]] runtime::Runtime start_runtime(const CommonOptions& options);

/// "attend 0.2.0".
[[nodiscard]] std::string version();

/// The answer to --version: version and LibTorch, then the instructions of the kernels, then build
/// type and compiler, one line each.
[[nodiscard]] std::string version_details();

}  // namespace attend::cli
