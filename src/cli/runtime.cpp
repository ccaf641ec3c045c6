#include "cli/runtime.h"

#include <fmt/format.h>
#include <torch/version.h>

#include "core/log.h"
#include "nn/blas.h"
#include "nn/vector_instructions.h"

namespace attend::cli {

nn::Runtime start_runtime(const CommonOptions& options) {
  set_up_log(options.log);
  const nn::Runtime runtime = nn::set_up_runtime(options.device, options.threads);
  const nn::Blas blas = nn::loaded_blas();
  log::info("{}, LibTorch {} ({}), device {}, {} thread{}, {}", version(), TORCH_VERSION,
            nn::vector_instructions(), runtime.device.str(), runtime.threads,
            runtime.threads == 1 ? "" : "s", blas.description);
  if (!blas.warning.empty()) log::warning("{}", blas.warning);
  return runtime;
}

std::string version() {
  return fmt::format("attend {}", ATTEND_VERSION);
}

}  // namespace attend::cli
