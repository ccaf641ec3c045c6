#pragma once
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

}  // namespace attend::runtime
