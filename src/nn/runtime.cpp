#include "nn/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <torch/cuda.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace attend::nn {
namespace {

/// One line of a system file, or an empty string.
std::string first_line(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Physical cores among those of the affinity mask: threads of one core share (package, core id).
int64_t cores_by_affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
  std::set<std::pair<std::string, std::string>> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mask)) continue;
    const std::string topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu);
    const std::string core = first_line(topology + "core_id");
    cores.emplace(first_line(topology + "physical_package_id"),
                  core.empty() ? fmt::format("cpu{}", cpu) : core);
  }
  return std::max<int64_t>(1, static_cast<int64_t>(cores.size()));
}

/// CPUs that the cgroup's quota allows (version 2: "max 100000" or "200000 100000"), or no limit.
int64_t cores_by_quota() {
  const std::string line = first_line("/sys/fs/cgroup/cpu.max");
  const auto blank = line.find(' ');
  if (line.empty() || line.starts_with("max") || blank == std::string::npos) {
    return std::numeric_limits<int64_t>::max();
  }
  const double quota = std::strtod(line.c_str(), nullptr);
  const double period = std::strtod(line.c_str() + blank, nullptr);
  if (!(quota > 0.0) || !(period > 0.0)) return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(1, static_cast<int64_t>(std::floor(quota / period)));
}

/// Keeps freed memory in the process: a training step allocates the same blocks over and over, and giving them back
/// costs a page fault for every 4 KiB.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
}

/// LibTorch 1.13 uses AVX2 unless it is told otherwise. Read by LibTorch at its first operation.
void allow_avx512() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    setenv("ATEN_CPU_CAPABILITY", "avx512", /*overwrite=*/0);
  }
#endif
}

/// The vector instructions that LibTorch reports to use.
std::string vector_instructions() {
  constexpr std::string_view kLabel = "CPU capability usage: ";
  const std::string config = at::show_config();
  const auto found = config.find(kLabel);
  if (found == std::string::npos) return "unknown";
  const auto begin = found + kLabel.size();
  return config.substr(begin, config.find_first_of("\n ", begin) - begin);
}

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

/// Calls a function `const char* name()` of the loaded BLAS, if there is one.
std::string ask_blas(const char* name) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == nullptr) return {};
  const char* answer = reinterpret_cast<const char* (*)()>(symbol)();
  return answer == nullptr ? std::string() : std::string(answer);
}

void describe_blas(Runtime& runtime) {
  const std::string config = ask_blas("openblas_get_config");  // "OpenBLAS 0.3.21 ... USE_OPENMP ..."
  const std::string core = ask_blas("openblas_get_corename");
  if (config.empty()) {
    runtime.blas = "not OpenBLAS";
    if (at::hasMKL()) {
      runtime.blas = "MKL";
    } else {
      runtime.warning = "BLAS is not OpenBLAS; the reference BLAS is tens of times slower: "
                        "apt-get install libopenblas-openmp-dev, then build again";
    }
    return;
  }
  const bool openmp = config.find("USE_OPENMP") != std::string::npos;
  const std::string version = config.substr(0, config.find(' ', std::string_view("OpenBLAS ").size()));
  runtime.blas = fmt::format("{} ({}, {} kernels)", version, openmp ? "OpenMP" : "own threads", core);
  if (!openmp) {
    runtime.warning = "OpenBLAS runs threads of its own, which fight with LibTorch's: "
                      "apt-get install libopenblas-openmp-dev, then build again";
  } else if (cpu_has_avx512() && (core == "Haswell" || core == "Zen" || core == "Sandybridge")) {
    runtime.warning = fmt::format(
        "BLAS runs its {} kernels on a CPU with AVX-512, at about half speed{}", core,
        std::getenv("OPENBLAS_CORETYPE") != nullptr ? "; unset OPENBLAS_CORETYPE" : "");
  }
}

torch::Device parse_device(const std::string& name) {
  if (name == "cpu" || (name == "auto" && !torch::cuda::is_available())) return torch::kCPU;
  const bool cuda = name == "auto" || name == "cuda" || name.starts_with("cuda:");
  if (!cuda) {
    throw UsageError(fmt::format("--device: unknown device \"{}\"; choices: auto, cpu, cuda, cuda:N", name));
  }
  int index = 0;
  if (name.starts_with("cuda:")) {
    const char* end = name.data() + name.size();
    const auto [rest, failure] = std::from_chars(name.data() + 5, end, index);
    if (failure != std::errc() || rest != end || index < 0) {
      throw UsageError(fmt::format("--device: \"{}\": after cuda: comes the number of a GPU, from 0", name));
    }
  }
  const auto present = static_cast<int>(torch::cuda::is_available() ? torch::cuda::device_count() : 0);
  if (index >= present) {
    throw UsageError(fmt::format("--device {}: LibTorch sees {} CUDA device(s) here; use --device cpu", name, present));
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

int64_t usable_cores() { return std::min(cores_by_affinity(), cores_by_quota()); }

Runtime set_up_runtime(const std::string& device, int64_t threads) {
  keep_freed_memory();
  allow_avx512();
  Runtime runtime;
  runtime.device = parse_device(device);
  runtime.threads = threads > 0 ? threads : usable_cores();
  at::globalContext().setFlushDenormal(true);  // before the pool starts: its threads inherit the mode
  at::set_num_interop_threads(1);
  at::set_num_threads(static_cast<int>(runtime.threads));
  runtime.capability = vector_instructions();
  describe_blas(runtime);
  return runtime;
}

}  // namespace attend::nn
