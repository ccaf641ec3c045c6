#include "cli/start_runtime.h"

#include <fmt/format.h>
#include <torch/version.h>

#include "core/log.h"
#include "runtime/blas.h"
#include "runtime/vector_instructions.h"

namespace attend::cli {

runtime::Runtime start_runtime(const CommonOptions& options) {
  set_up_log(options.log);
  const runtime::Runtime runtime = runtime::set_up_runtime(options.device, options.threads);
  const runtime::Blas blas = runtime::loaded_blas();
  log::info("{}, LibTorch {} ({}), kernels {}, device {}, {} thread{}, {}", version(),
            TORCH_VERSION, runtime::vector_instructions(), runtime::kernel_instructions(),
            runtime.device.str(), runtime.threads, runtime.threads == 1 ? "" : "s",
            blas.description);
  if (!blas.warning.empty()) log::warning("{}", blas.warning);
  return runtime;
}

std::string version() {
  return fmt::format("attend {}", ATTEND_VERSION);
}

std::string version_details() {
  return fmt::format("{} (LibTorch {})\nkernels: {}\nbuild: {}, {}", version(), TORCH_VERSION,
                     runtime::kernel_instructions(), ATTEND_BUILD_TYPE, ATTEND_COMPILER);
}

}  // namespace attend::cli
