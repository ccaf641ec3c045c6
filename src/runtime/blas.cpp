#include "runtime/blas.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "runtime/vector_instructions.h"

namespace attend::runtime {
namespace {

constexpr const char* kInstall = "apt-get install libopenblas-openmp-dev, then build again";

/// The file that holds the symbol which calls from anywhere in the process reach, or nothing.
std::string library_of(const char* symbol) {
  Dl_info info = {};
  void* address = ::dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr || ::dladdr(address, &info) == 0) return "";
  return std::filesystem::weakly_canonical(info.dli_fname).string();
}

/// What a function `const char* name()` of OpenBLAS answers.
std::string ask(const char* name) {
  const auto function = reinterpret_cast<const char* (*)()>(::dlsym(RTLD_DEFAULT, name));
  const char* answer = function == nullptr ? nullptr : function();
  return answer == nullptr ? "" : answer;
}

bool runs_on_openmp() {
  constexpr int kOpenMp = 2;  // 0 none, 1 pthreads, 2 OpenMP
  const auto parallel = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
  return parallel != nullptr && parallel() == kOpenMp;
}

/// Whether OpenBLAS runs kernels for an older CPU than one with AVX-512.
bool is_below_avx512(std::string_view core) {
  constexpr std::array<std::string_view, 5> kOlder = {"Haswell", "Zen", "Sandybridge", "Nehalem",
                                                      "Prescott"};
  return std::find(kOlder.begin(), kOlder.end(), core) != kOlder.end();
}

Blas describe_openblas() {
  const std::string config = ask("openblas_get_config");  // "OpenBLAS 0.3.21 ..."
  const std::string core = ask("openblas_get_corename");
  const bool openmp = runs_on_openmp();
  Blas blas;
  blas.description =
      fmt::format("{} ({}, {} kernels)", config.substr(0, config.find(' ', config.find(' ') + 1)),
                  openmp ? "OpenMP" : "threads of its own", core);
  if (!openmp) {
    blas.warning =
        fmt::format("OpenBLAS runs threads of its own, which fight with LibTorch's: {}", kInstall);
  } else if (cpu_has_avx512() && is_below_avx512(core)) {
    blas.warning = fmt::format(
        "OpenBLAS runs its {} kernels on a CPU with AVX-512, at about half its speed{}", core,
        std::getenv("OPENBLAS_CORETYPE") == nullptr ? "" : ": unset OPENBLAS_CORETYPE");
  }
  return blas;
}

}  // namespace

Blas loaded_blas() {
  if (at::hasMKL()) return {"MKL", ""};
  const std::string library = library_of("sgemm_");
  if (library.empty()) return {"unknown BLAS", ""};
  if (library == library_of("openblas_get_config")) return describe_openblas();
  return {library,
          fmt::format("this BLAS may be tens of times slower than OpenBLAS: {}", kInstall)};
}

}  // namespace attend::runtime
