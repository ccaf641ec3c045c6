#include "runtime/blas.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string_view>
#include <vector>

#include "kernels/cpu/instructions.h"

namespace attend::runtime {
namespace {

constexpr const char* kInstall = "apt-get install libopenblas-openmp-dev, then build again";

/// The file of the library that a symbol resolves to in this process; empty if there is none.
std::string library_of(const char* symbol) {
  Dl_info info = {};
  void* address = ::dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr || ::dladdr(address, &info) == 0) return "";
  return std::filesystem::weakly_canonical(info.dli_fname).string();
}

/// The result of the OpenBLAS function `const char* name()`; empty if there is none.
std::string call_for_text(const char* name) {
  const auto function = reinterpret_cast<const char* (*)()>(::dlsym(RTLD_DEFAULT, name));
  const char* answer = function == nullptr ? nullptr : function();
  return answer == nullptr ? "" : answer;
}

bool runs_on_openmp() {
  constexpr int kOpenMp = 2;  // 0 none, 1 pthreads, 2 OpenMP
  const auto parallel = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
  return parallel != nullptr && parallel() == kOpenMp;
}

/// True if OpenBLAS runs kernels without AVX-512.
bool is_below_avx512(std::string_view core) {
  constexpr std::array<std::string_view, 5> kOlder = {"Haswell", "Zen", "Sandybridge", "Nehalem",
                                                      "Prescott"};
  return std::find(kOlder.begin(), kOlder.end(), core) != kOlder.end();
}

Blas describe_openblas() {
  const std::string config = call_for_text("openblas_get_config");  // "OpenBLAS 0.3.21 ..."
  const std::string core = call_for_text("openblas_get_corename");
  const bool openmp = runs_on_openmp();
  Blas blas;
  blas.description =
      fmt::format("{} ({}, {} kernels)", config.substr(0, config.find(' ', config.find(' ') + 1)),
                  openmp ? "OpenMP" : "its own threads", core);
  if (!openmp) {
    blas.warning =
        fmt::format("OpenBLAS uses its own threads, which compete with LibTorch's: {}", kInstall);
  } else if (kernels::instructions_in_use() >= kernels::Instructions::avx512 &&
             is_below_avx512(core)) {
    blas.warning = fmt::format(
        "OpenBLAS uses {} kernels on a CPU with AVX-512, at about half the possible speed{}", core,
        std::getenv("OPENBLAS_CORETYPE") == nullptr ? "" : ": unset OPENBLAS_CORETYPE");
  }
  return blas;
}

/// An OpenBLAS buffer has 128 MiB on x86-64, and less elsewhere.
constexpr std::size_t kBufferBytes = std::size_t{129} << 20;

/// Throws std::bad_alloc unless `bytes` of address space can be reserved now.
void require_addresses(std::size_t bytes) {
  void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  munmap(start, bytes);
}

/// Holds several buffers at the same time. The destructor gives them back to OpenBLAS, which does
/// not return them to the system.
class BlasBuffers {
 public:
  using Take = void* (*)(int);
  using Give = void (*)(void*);

  BlasBuffers(Take take, Give give) : take_(take), give_(give) {}
  ~BlasBuffers() {
    for (void* const buffer : buffers_) give_(buffer);
  }
  BlasBuffers(const BlasBuffers&) = delete;
  BlasBuffers& operator=(const BlasBuffers&) = delete;

  void add() {
    require_addresses(kBufferBytes);
    buffers_.push_back(take_(0));
  }

 private:
  Take take_;
  Give give_;
  std::vector<void*> buffers_;
};

/// Allocates the buffers of threads that OpenBLAS starts itself, which happens at the first product
/// after the number of threads has changed.
void take_buffers_of_its_threads(int64_t threads) {
  constexpr int64_t kSize = 128;  // large enough that OpenBLAS asks for all of its threads
  require_addresses(static_cast<std::size_t>(threads) * kBufferBytes);
  const torch::Tensor x = torch::ones({kSize, kSize});
  static_cast<void>(torch::mm(x, x));
}

}  // namespace

void take_blas_buffers(int64_t threads) {
  constexpr int64_t kMost =
      64;  // OpenBLAS has its own limit: twice the number of CPUs it was built for
  const auto take = reinterpret_cast<BlasBuffers::Take>(::dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto give = reinterpret_cast<BlasBuffers::Give>(::dlsym(RTLD_DEFAULT, "blas_memory_free"));
  if (take == nullptr || give == nullptr) return;
  threads = std::min(threads, kMost);
  take_buffers_of_its_threads(threads);
  BlasBuffers buffers(take, give);
  for (int64_t i = 0; i < threads; ++i) buffers.add();
}

Blas loaded_blas() {
  if (at::hasMKL()) return {"MKL", ""};
  const std::string library = library_of("sgemm_");
  if (library.empty()) return {"unknown BLAS", ""};
  if (library == library_of("openblas_get_config")) return describe_openblas();
  return {library,
          fmt::format("this BLAS may be tens of times slower than OpenBLAS: {}", kInstall)};
}

}  // namespace attend::runtime
