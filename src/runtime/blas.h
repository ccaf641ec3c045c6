#pragma once
#include <cstdint>
#include <string>

namespace attend::runtime {

/// The library whose matrix products LibTorch calls. If a process has loaded several, the first one
/// with the symbol is called.
struct Blas {
  std::string
      description;  // "OpenBLAS 0.3.21 (OpenMP, SkylakeX kernels)", "MKL", or the library's path
  std::string warning;  // why it is slow and how to fix it; empty if it is fine
};

[[nodiscard]] Blas loaded_blas();

/// Makes OpenBLAS allocate the buffers for products on `threads` threads, one per thread, which it
/// keeps. During a product, OpenBLAS would retry forever if there is no room for a buffer; this
/// function throws std::bad_alloc instead. The buffers are address space only; memory is used when
/// products write to them.
void take_blas_buffers(int64_t threads);

}  // namespace attend::runtime
