#include "cli/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <filesystem>

#include "cli/cores.h"
#include "core/error.h"
#include "core/log.h"

namespace attend::cli {

namespace {

// The library whose sgemm LibTorch calls, and how it runs its threads if it is OpenBLAS.
struct Blas {
  std::string library;
  std::string config;  // "OpenBLAS 0.3.21 ..."; empty for any other
  bool open_mp = false;
};

std::string library_of(const char* symbol) {
  Dl_info info = {};
  void* address = ::dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr || ::dladdr(address, &info) == 0) return "";
  return std::filesystem::weakly_canonical(info.dli_fname).string();
}

// The first library with the symbol is the one that is called, so it matters which of several that
// is.
Blas loaded_blas() {
  constexpr int kOpenMp = 2;  // openblas_get_parallel(): 0 none, 1 pthreads, 2 OpenMP
  Blas blas{library_of("sgemm_"), "", false};
  if (blas.library.empty() || blas.library != library_of("openblas_get_config")) return blas;
  const auto get_config =
      reinterpret_cast<char* (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_config"));
  const auto get_parallel =
      reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
  blas.config = get_config();
  blas.open_mp = get_parallel != nullptr && get_parallel() == kOpenMp;
  return blas;
}

void warn_about_blas() {
  if (at::hasMKL()) return;
  const Blas blas = loaded_blas();
  if (blas.open_mp || blas.library.empty()) return;
  log::warning("this BLAS ({}) {}; install libopenblas-openmp-dev and build again", blas.library,
               blas.config.empty()
                   ? "may be tens of times slower than OpenBLAS"
                   : "is not the OpenMP flavour: its threads fight with those of LibTorch");
}

c10::Device choose_device(const std::string& name) {
  const auto count = static_cast<int64_t>(torch::cuda::device_count());
  if (name == "cpu" || (name == "auto" && count == 0)) return c10::kCPU;
  if (name == "auto" || name == "cuda") {
    if (count == 0) throw UsageError("--device cuda: no CUDA device was found; use --device cpu");
    return {c10::kCUDA, 0};
  }
  const int64_t index = std::stoll(name.substr(name.find(':') + 1));
  if (index >= count) {
    throw UsageError(fmt::format("--device {}: this machine has {} CUDA device(s), counted from 0",
                                 name, count));
  }
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

Runtime start_runtime(const CommonOptions& options) {
  set_up_log(options.log);
  Runtime runtime{choose_device(options.device),
                  options.threads > 0 ? options.threads : usable_cores()};
  at::set_num_threads(static_cast<int>(runtime.threads));
  log::info("{}, LibTorch {}, device {}, {} thread{}, {}", version(), TORCH_VERSION,
            runtime.device.str(), runtime.threads, runtime.threads == 1 ? "" : "s",
            blas_description());
  warn_about_blas();
  return runtime;
}

std::string blas_description() {
  if (at::hasMKL()) return "MKL";
  const Blas blas = loaded_blas();
  if (blas.library.empty()) return "unknown BLAS";
  const std::string name =
      blas.config.empty() ? blas.library
                          : blas.config.substr(0, blas.config.find(' ', blas.config.find(' ') + 1));
  return blas.open_mp ? name + " (OpenMP)" : name;
}

std::string version() {
  return fmt::format("attend {}", ATTEND_VERSION);
}

}  // namespace attend::cli
