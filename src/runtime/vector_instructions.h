#pragma once
#include <string>

namespace attend::runtime {

/// Lets LibTorch's own kernels use AVX-512 where our own do: version 1.13 stays at AVX2 unless
/// ATEN_CPU_CAPABILITY says otherwise. A value that the user set stays. Requires: no tensor
/// operation has run yet.
void allow_avx512();

/// What LibTorch reports to use: "AVX2", "AVX512", ...
[[nodiscard]] std::string vector_instructions();

/// The instructions that our own kernels use: "avx2", "avx512_vnni", ...
[[nodiscard]] std::string kernel_instructions();

}  // namespace attend::runtime
