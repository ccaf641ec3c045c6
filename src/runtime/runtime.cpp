#include "runtime/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <charconv>
#include <cstdlib>
#include <limits>

#include "core/cores.h"
#include "core/error.h"
#include "core/option_name.h"
#include "kernels/cpu/instructions.h"
#include "runtime/blas.h"
#include "runtime/device_identity.h"
#include "runtime/tensor_memory.h"
#include "runtime/tf32.h"
#include "runtime/vector_instructions.h"

namespace attend::runtime {
namespace {

/// Keeps freed memory in the process: every training step allocates the same blocks again, and
/// returning them to the system costs a page fault for every 4 KiB.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
}

/// Excludes cuDNN from scaled_dot_product_attention(): it has no gradient for a bias of the
/// energies, unlike LibTorch's other implementations.
void choose_attention() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
  at::globalContext().setSDPUseCuDNN(false);
#endif
}

/// The number in "cuda:N".
int parse_index(const std::string& name) {
  int index = 0;
  const char* end = name.data() + name.size();
  const auto [rest, failure] = std::from_chars(name.data() + name.find(':') + 1, end, index);
  if (failure != std::errc() || rest != end || index < 0) {
    throw UsageError(fmt::format("{}: \"{}\": expected cuda:N with the number of a GPU, from 0",
                                 option_name("device"), name));
  }
  return index;
}

void check_max_cpu() {
  if (kernels::allowed_instructions().has_value()) return;
  throw UsageError(fmt::format("ATTEND_MAX_CPU in the environment: unknown \"{}\"; choices: {}",
                               std::getenv("ATTEND_MAX_CPU"), kernels::max_cpu_names()));
}

torch::Device choose_device(const std::string& name) {
  if (name == "cpu" || (name == "auto" && !torch::cuda::is_available())) return torch::kCPU;
  if (name != "auto" && name != "cuda" && !name.starts_with("cuda:")) {
    throw UsageError(fmt::format("{}: unknown device \"{}\"; choices: auto, cpu, cuda, cuda:N",
                                 option_name("device"), name));
  }
  const int index = name.starts_with("cuda:") ? parse_index(name) : 0;
  const int64_t present = count_gpus();
  if (index >= present) {
    throw UsageError(
        fmt::format("{0} {1}: this machine has {2} CUDA device(s), numbered from 0; use {0} cpu",
                    option_name("device"), name, present));
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

Runtime set_up_runtime(const std::string& device, int64_t threads) {
  check_max_cpu();
  keep_freed_memory();
  use_tensor_memory();
  allow_avx512();
  allow_tf32(false);
  choose_attention();
  const Runtime runtime{choose_device(device), threads > 0 ? threads : usable_cores()};
  at::globalContext().setFlushDenormal(
      true);  // before the thread pool starts: its threads inherit the mode
  at::set_num_threads(static_cast<int>(runtime.threads));
  take_blas_buffers(runtime.threads);
  return runtime;
}

}  // namespace attend::runtime
