#pragma once
#include <cstdint>
#include <string>

namespace attend::runtime {

/// The library whose matrix products LibTorch calls. Of several in one process the first with the
/// symbol is called, so it matters which one that is.
struct Blas {
  std::string
      description;  // "OpenBLAS 0.3.21 (OpenMP, SkylakeX kernels)", "MKL", or the library's path
  std::string warning;  // why it is slow and what to do; empty if it is good
};

[[nodiscard]] Blas loaded_blas();

/// Lets OpenBLAS take the buffers that products on so many threads need, one for each, which it
/// keeps. Where it finds no room for one in the midst of a product, it tries again for ever; here
/// std::bad_alloc is thrown. They are addresses alone: memory is taken when products write to it.
void take_blas_buffers(int64_t threads);

}  // namespace attend::runtime
